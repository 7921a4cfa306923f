// The places of inline media in requests, and changes to them. Every protocol lists its places; the rest of a request stays unchanged.

import { standardBase64 } from './wire/byte-string.ts'
import { isObject, type Json, type JsonObject, lookUp, stringIn } from './wire/json.ts'
import { computedOnce } from './wire/known-values.ts'

/** A medium in a request, with its type as the caller wrote it, and its bytes in base64. */
export interface Medium {
  readonly is_image: boolean
  readonly mime_type: string | undefined
  readonly data: string
}

/** @returns the same medium if nothing changes */
export type MediumChange = (medium: Medium) => Medium

/** Changes the media in a value. @returns the same value if nothing changes */
export type MediaPlaces = (value: Json, change: MediumChange) => Json

/** The places in the value of each top-level field; in a list, in each of its items. */
export type MediaFields = Readonly<Record<string, MediaPlaces>>

/** The fields of an object that hold media, or objects with media. */
export function inFields(places: Readonly<Record<string, MediaPlaces>>): MediaPlaces {
  const names = Object.keys(places)
  return (value, change) => {
    if (!isObject(value)) return value
    let changed: JsonObject | undefined
    for (const name of names) {
      const before = value[name]
      const place = places[name]
      if (before === undefined || before === null || !place) continue
      const after = place(before, change)
      if (after !== before) changed = { ...(changed ?? value), [name]: after }
    }
    return changed ?? value
  }
}

/** Each item of a list, or a single object in place of the list. */
export const inItems =
  (place: MediaPlaces): MediaPlaces =>
  (value, change) => {
    if (!Array.isArray(value)) return isObject(value) ? place(value, change) : value
    let changed: Json[] | undefined
    for (let index = 0; index < value.length; index++) {
      const before = value[index] ?? null
      const after = place(before, change)
      if (after === before) continue
      changed ??= [...value]
      changed[index] = after
    }
    return changed ?? value
  }

/** An object, by its `type`. */
export function inTypes(places: Readonly<Record<string, MediaPlaces>>): MediaPlaces {
  const by_type = new Map<unknown, MediaPlaces>(Object.entries(places))
  return (value, change) => {
    const place = isObject(value) ? by_type.get(value.type) : undefined
    return place ? place(value, change) : value
  }
}

/** An object with a medium's data and type. @param types the possible names of the type's field */
export const withData =
  (types: readonly string[], is_image: (mime_type: string) => boolean): MediaPlaces =>
  (value, change) => {
    if (!isObject(value) || typeof value.data !== 'string') return value
    const name = types.find((type) => typeof value[type] === 'string')
    const mime_type = name === undefined ? undefined : stringIn(value[name])
    const medium = { is_image: is_image(mime_type ?? ''), mime_type, data: value.data }
    const after = change(medium)
    if (after === medium) return value
    return { ...value, data: after.data, ...(name === undefined ? {} : { [name]: after.mime_type ?? '' }) }
  }

/** Whether a type, as a caller wrote it, is that of an image. */
export const isImageType = (mime_type: string): boolean => /^\s*image\//i.test(mime_type)

/** RFC 2397: the type with its parameters, and base64. */
const DATA_URI_HEAD = /^data:([^,]*);base64,/i
const MAX_HEAD_CHARS = 256

/** A data URI; other addresses hold no data. */
export const inUri =
  (is_image: boolean): MediaPlaces =>
  (value, change) => {
    if (typeof value !== 'string') return value
    const [head, mime_type] = DATA_URI_HEAD.exec(value.slice(0, MAX_HEAD_CHARS)) ?? []
    if (head === undefined) return value
    const medium = { is_image, mime_type, data: value.slice(head.length) }
    const after = change(medium)
    if (after === medium) return value
    return `data:${after.mime_type ?? ''};base64,${after.data}`
  }

/** Unregistered names of image types that are in use, with the names that providers know. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'image/x-webp': 'image/webp',
  'image/tif': 'image/tiff',
}

/** The registered name of an image type, in lower case and without parameters; other types stay unchanged. */
export function registeredType(mime_type: string): string {
  if (!isImageType(mime_type)) return mime_type
  const [name = ''] = mime_type.split(';', 1)
  const lower = name.trim().toLowerCase()
  return lookUp(OTHER_NAMES, lower) ?? lower
}

/** A medium as every provider reads it: standard base64 and, for an image, the registered type. */
function normalizeMedium(medium: Medium): Medium {
  const mime_type = medium.mime_type === undefined ? undefined : registeredType(medium.mime_type)
  const data = standardBase64(medium.data)
  return mime_type === medium.mime_type && data === medium.data ? medium : { ...medium, mime_type, data }
}

/** A body with normalised media. */
export interface NormalizedBody {
  readonly json: JsonObject
  readonly has_images: boolean
}

interface NormalizedValue {
  /** Only set if `is_changed`. */
  readonly value: Json
  readonly has_images: boolean
  readonly is_changed: boolean
}

/** One function for each place, so that results for known values can be cached by it. */
const NORMALIZERS = new WeakMap<MediaPlaces, (value: Json) => NormalizedValue>()

/** The shared result for values without media, which are the most. */
const UNCHANGED: NormalizedValue = { value: null, has_images: false, is_changed: false }

function normalizerOf(place: MediaPlaces): (value: Json) => NormalizedValue {
  const known = NORMALIZERS.get(place)
  if (known) return known
  // The state of the current value: a function runs without awaits in between.
  let has_images = false
  const change: MediumChange = (medium) => {
    has_images ||= medium.is_image
    return normalizeMedium(medium)
  }
  const normalizer = (value: Json): NormalizedValue => {
    has_images = false
    const after = place(value, change)
    if (after === value && !has_images) return UNCHANGED
    return { value: after, has_images, is_changed: after !== value }
  }
  NORMALIZERS.set(place, normalizer)
  return normalizer
}

/** Fields of a protocol's requests that have more than one form. */
interface FieldForms {
  readonly media?: MediaFields
  readonly lists?: readonly string[]
}

/**
 * Normalises media, and turns a single object into a list where the protocol allows both. Returns the same body if nothing changes.
 * @param fields of the caller's protocol
 */
export function normalizedBody(
  body: JsonObject,
  { media: fields, lists = NO_LISTS }: FieldForms = {},
): NormalizedBody {
  let json = body
  for (const name of lists) {
    const single = body[name]
    if (isObject(single)) json = { ...json, [name]: [single] }
  }
  let has_images = false
  for (const name in fields) {
    const place = fields[name]
    const before = json[name]
    if (!place || typeof before !== 'object' || before === null) continue
    const found = normalizeField(before, normalizerOf(place))
    has_images ||= found.has_images
    if (found.is_changed) json = { ...json, [name]: found.value }
  }
  return { json, has_images }
}

const NO_LISTS: readonly string[] = []

/** Each item of a list, or a single object in place of the list. */
function normalizeField(
  field: Json[] | JsonObject,
  normalize: (value: Json) => NormalizedValue,
): NormalizedValue {
  if (!Array.isArray(field)) return computedOnce(normalize, field)
  let has_images = false
  let changed: Json[] | undefined
  for (let index = 0; index < field.length; index++) {
    const item = computedOnce(normalize, field[index] ?? null)
    has_images ||= item.has_images
    if (!item.is_changed) continue
    changed ??= [...field]
    changed[index] = item.value
  }
  if (!changed && !has_images) return UNCHANGED
  return { value: changed ?? field, has_images, is_changed: changed !== undefined }
}

export function changeMedia(
  json: JsonObject,
  fields: MediaFields | undefined,
  change: MediumChange,
): JsonObject {
  let changed = json
  for (const name in fields) {
    const place = fields[name]
    const before = json[name]
    if (!place || before === undefined) continue
    const after = inItems(place)(before, change)
    if (after !== before) changed = { ...changed, [name]: after }
  }
  return changed
}
