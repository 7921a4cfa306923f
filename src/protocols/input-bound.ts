// Input bounds: the most tokens that a provider can count for a request, whatever it does with fields that the gateway does not know.

import { imageMedium, type Medium, UNCOUNTED } from '../domain/media/medium.ts'
import { estimateMedia } from '../domain/media/tokens.ts'
import { MediaWork } from '../domain/media/work.ts'
import { boundText } from '../domain/token-bound.ts'
import type { RequestFacts } from './facts.ts'
import { isObject, type Json, type JsonObject, lookUp } from './wire/json.ts'
import { computedOnce, isKnown } from './wire/known-values.ts'

/**
 * The most tokens of a value without its media, not rounded.
 * @param media receives the media in the value, whose tokens depend on the model
 */
export type Bound = (value: Json, media: FoundMedia) => number

/** Collects the media of a request. */
export interface FoundMedia {
  push(medium: Medium): void
  /** The remaining work allowed for measuring them. */
  readonly work: MediaWork
}

interface Bounded {
  tokens: number
  media: readonly Medium[]
}

export const applyBound = (bound: Bound, value: Json): Bounded => boundedBy(bound, value, undefined)

function boundedBy(bound: Bound, value: Json, work: MediaWork | undefined): Bounded {
  const found = new MediaList(work)
  const tokens = bound(value, found)
  return { tokens, media: found.media }
}

/** Most requests have no media: the list is created for the first medium. */
class MediaList implements FoundMedia {
  media: Medium[] | readonly [] = NONE
  #work: MediaWork | undefined

  constructor(work: MediaWork | undefined) {
    this.#work = work
  }

  get work(): MediaWork {
    this.#work ??= new MediaWork()
    return this.#work
  }

  push(medium: Medium): void {
    if (this.media === NONE) this.media = [medium]
    else (this.media as Medium[]).push(medium)
  }
}

const NONE: readonly [] = []

/** A pair of brackets; a comma with the quotes beside it; a name's quotes and colon. */
const BRACKETS_TOKENS = 1
const COMMA_TOKENS = 1
const NAME_TOKENS = 1

/** Counts everything in a value as text: names, and texts at any depth. */
export const boundAll = (value: Json): number => {
  if (typeof value === 'string') return boundText(value)
  if (typeof value === 'number') return boundText(String(value))
  if (typeof value !== 'object' || value === null) return 1
  return Array.isArray(value)
    ? boundItems(value, boundAll, NO_MEDIA)
    : boundFields(value, NO_BOUNDS, NO_MEDIA)
}

type Bounds = Readonly<Record<string, Bound>>
const NO_BOUNDS: Bounds = {}
/** For plain text, which has no media. */
const NO_MEDIA: FoundMedia = { push: () => {}, work: new MediaWork() }

function boundItems(items: readonly Json[], item: Bound, media: FoundMedia): number {
  let tokens = BRACKETS_TOKENS
  for (const one of items) tokens += COMMA_TOKENS + item(one, media)
  return tokens
}

function boundFields(object: JsonObject, bounds: Bounds, media: FoundMedia): number {
  let tokens = BRACKETS_TOKENS
  for (const name in object) {
    const bound = lookUp(bounds, name) ?? boundAll
    tokens += NAME_TOKENS + COMMA_TOKENS + boundText(name) + bound(object[name] ?? null, media)
  }
  return tokens
}

/** An object: named fields have bounds of their own; all others are text. */
export const fields =
  (bounds: Bounds): Bound =>
  (value, media) =>
    isObject(value) ? boundFields(value, bounds, media) : boundAll(value)

/** A list, or a single one of its items. */
export const each =
  (item: Bound): Bound =>
  (value, media) =>
    Array.isArray(value) ? boundItems(value, item, media) : item(value, media)

/** An object, by its `type`. @param otherwise for other types, and for values without one */
export const byType =
  (types: Bounds, otherwise: Bound = boundAll): Bound =>
  (value, media) =>
    (lookUp(types, isObject(value) ? value.type : undefined) ?? otherwise)(value, media)

/** Caches a bound, for values that return with every request of a conversation. */
export const cachedBound = (bound: Bound): Bound => {
  // The work of the current request: a bound runs without awaits in between.
  let media_work: MediaWork
  const work = (value: Json): Bounded => boundedBy(bound, value, media_work)
  return (value, media) => {
    if (typeof value !== 'object' || value === null || !isKnown(value)) return bound(value, media)
    media_work = media.work
    const { tokens, media: found } = computedOnce(work, value)
    for (const medium of found) media.push(medium)
    return tokens
  }
}

/** Adds a medium whose data the gateway cannot see to the bound of its reference. */
export const withMedium =
  (medium: Medium, bound: Bound): Bound =>
  (value, media) => {
    media.push(medium)
    return bound(value, media)
  }

const ADDRESS_HEAD = /^[a-z][a-z0-9+.-]{1,30}:\/\//i
const isAddress = (text: string): boolean => ADDRESS_HEAD.test(text)

const DATA_HEAD = /^data:([^;,]{0,100})[^,]{0,150},/i
const BASE64_HEAD = /^data:[^,]{0,200};base64,/i
const MAX_HEAD_CHARS = 256

/** The media type of a data URI with base64; undefined for any other text. */
export function dataUriType(text: string): string | undefined {
  const head = text.slice(0, MAX_HEAD_CHARS)
  return BASE64_HEAD.test(head) ? (DATA_HEAD.exec(head)?.[1] ?? '').toLowerCase() : undefined
}

/**
 * The data of a medium. Addresses count as media whose data the gateway cannot see.
 * @param read reads a medium from base64 or a data URI; undefined if the data is text
 */
export const mediumData =
  (read: (data: string, work: MediaWork) => Medium | undefined): Bound =>
  (value, media) => {
    if (typeof value !== 'string') return boundAll(value)
    if (isAddress(value)) {
      media.push(UNCOUNTED)
      return boundAll(value)
    }
    const medium = read(value, media.work)
    if (medium === undefined) return boundAll(value)
    media.push(medium)
    return 0
  }

/**
 * An image, as data or an address. Other media in this place are text, since no provider accepts them there.
 * @param field the field with the data or address
 */
export const image =
  (field: string): Bound =>
  (value, media) => {
    const object = isObject(value) ? value : {}
    const detail = typeof object.detail === 'string' ? object.detail : undefined
    const url = typeof value === 'string' ? value : addressIn(object[field])
    const is_data = typeof url === 'string' && dataUriType(url)?.startsWith('image/')
    media.push(is_data ? imageMedium(url, detail) : { kind: 'image', detail })
    const data = withoutData(is_data ? url : undefined)
    return typeof value === 'string' ? data(value, media) : fields({ [field]: data })(value, media)
  }

/** An address stands alone or in an object. */
const addressIn = (value: Json | undefined): Json | undefined => (isObject(value) ? value.url : value)

/** The bound of an address. @param data the data URI that is already counted as a medium */
function withoutData(data: string | undefined): Bound {
  const text: Bound = (value) => (data !== undefined && value === data ? 0 : boundAll(value))
  return (value, media) => (isObject(value) ? fields({ url: text }) : text)(value, media)
}

/** Audio or a video, as a data URI or an address: no provider says what it bills for one here. */
export const addressed: Bound = (value, media) => {
  const url = addressIn(value)
  const is_data = typeof url === 'string' && dataUriType(url) !== undefined
  media.push(is_data ? { kind: 'uncounted', bytes: Math.ceil((url.length * 3) / 4) } : UNCOUNTED)
  return withoutData(is_data ? url : undefined)(value, media)
}

/** A part of an unknown type: it may be a medium, such as a video, with its data or an address that the provider fetches. */
export const unknownPart: Bound = (part, media) => {
  if (isObject(part) && mayBeMedium(part)) media.push(UNCOUNTED)
  return boundAll(part)
}

/** Longer than words, ids and hashes. */
const BASE64 = /^[\w+/-]{128,}={0,2}$/

function mayBeMedium(value: Json): boolean {
  if (typeof value === 'string')
    return isAddress(value) || dataUriType(value) !== undefined || BASE64.test(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(mayBeMedium)
}

/**
 * Signatures and encrypted reasoning: base64 of the model's thinking, which counts only at the provider that issued it. One token has
 * at least four characters of it.
 */
const ENCRYPTED_CHARS_PER_TOKEN = 4
export const encrypted: Bound = (value, media) => {
  if (typeof value !== 'string') return boundAll(value)
  if (!isAddress(value)) return value.length / ENCRYPTED_CHARS_PER_TOKEN
  media.push(UNCOUNTED)
  return boundAll(value)
}

/**
 * Room for a provider's own instructions on tools, now and of newer models. The highest published figure is 530 tokens, for Claude 3
 * Opus (docs.anthropic.com, "Tool use pricing and tokens"). The same is held for each tool whose text only the provider knows.
 */
const TOOLS_TOKENS = 1_000
const OWN_TOOL_TYPES: ReadonlySet<Json | undefined> = new Set([undefined, null, 'custom', 'function'])

/** Tools and functions, with their provider's instructions. @param bounds of a tool's fields that hold media */
export const toolsWith = (bounds: Bounds): Bound => {
  const bound = fields(bounds)
  const boundTool: Bound = (tool, media) =>
    bound(tool, media) + (isObject(tool) && !OWN_TOOL_TYPES.has(tool.type) ? TOOLS_TOKENS : 0)
  return cachedBound((value, media) =>
    Array.isArray(value) && value.length > 0
      ? TOOLS_TOKENS + boundItems(value, boundTool, media)
      : boundAll(value),
  )
}
export const tools: Bound = toolsWith(NO_BOUNDS)

/** Marks that a model reads at the beginning and end of each of several texts. */
const MARKS_TOKENS = 2
/** The bound of texts that the model reads one by one. */
export const boundTexts = (request: Json, texts: number): number => boundAll(request) + texts * MARKS_TOKENS

/** The tokens to hold: never less than the estimate, which may be charged. @param bound of the whole request, in tokens */
export const inputBound = (bound: number, estimated_tokens: number): number =>
  Math.max(Math.ceil(bound), estimated_tokens)

/** The token facts of a request. @param text_tokens the estimate without media */
export function inputFacts(
  bound: Bound,
  body: JsonObject,
  text_tokens: number,
): Pick<RequestFacts, 'input_tokens' | 'input_bound_tokens' | 'media'> {
  const { tokens, media } = applyBound(bound, body)
  const input_tokens = text_tokens + estimateMedia(media)
  const input_bound_tokens = inputBound(tokens, text_tokens)
  return media.length > 0 ? { input_tokens, input_bound_tokens, media } : { input_tokens, input_bound_tokens }
}
