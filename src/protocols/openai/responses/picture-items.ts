// The items of drawn pictures: as callers are shown them, and as models are told about them.
import type { ErrorKind } from '../../../domain/errors.ts'
import type { MediaPart } from '../../canonical/parts.ts'
import { base64Of } from '../../wire/base64.ts'
import { isObject, type Json, type JsonObject, stringIn } from '../../wire/json.ts'

export const PICTURE_ITEM = 'image_generation_call'

const ID = /^ig_([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i

/** The id of an item, which is that of its picture in the history. */
export const pictureItemId = (uuid: string): string => `ig_${uuid}`

/** The id of an item's picture in the history; undefined for an item that is none of ours. */
export const pictureOf = (id: Json | undefined): string | undefined => ID.exec(stringIn(id) ?? '')?.[1]

export const isPictureItem = (item: Json): item is JsonObject => isObject(item) && item.type === PICTURE_ITEM

/** A picture that was drawn, or is kept. */
export interface ShownPicture {
  bytes: Uint8Array
  size: string
  output_format: string
  revised_prompt: string
}

/** What a picture was asked to be. */
export interface AskedPicture {
  action: 'generate' | 'edit'
  background: string
  quality: string
}

export const emptyItem = (uuid: string, status: 'in_progress' | 'failed'): JsonObject => ({
  id: pictureItemId(uuid),
  type: PICTURE_ITEM,
  status,
  result: null,
})

export const drawnItem = (uuid: string, picture: ShownPicture, asked: AskedPicture): JsonObject => {
  const { bytes, size, output_format, revised_prompt } = picture
  return {
    ...emptyItem(uuid, 'in_progress'),
    status: 'completed',
    ...asked,
    output_format,
    result: base64Of(bytes),
    revised_prompt,
    size,
  }
}

/** A picture that the text model itself answered with. No addresses of providers are shown. @param id of the item */
export const answeredItem = (id: string, { source }: Pick<MediaPart, 'source'>): JsonObject => ({
  id,
  type: PICTURE_ITEM,
  status: 'completed',
  result: source.by === 'data' ? source.data : null,
  ...(source.by === 'data' ? { output_format: source.mime_type.replace('image/', '') } : {}),
})

/** The same, sent back; undefined for one that our own image models drew, and for one without its picture. */
export function answeredPicture(
  { id, result, output_format }: JsonObject,
  at: string,
): MediaPart | undefined {
  const data = stringIn(result)
  if (!data || pictureOf(id) !== undefined) return undefined
  const source = { by: 'data', mime_type: `image/${stringIn(output_format) ?? 'png'}`, data } as const
  return { kind: 'image', source, at }
}

/** A picture that could not be drawn, and why. */
export const failedItem = (
  uuid: string,
  asked: AskedPicture & { revised_prompt: string },
  { code, message, kind }: { code: string | undefined; message: string; kind: ErrorKind },
): JsonObject => ({
  ...emptyItem(uuid, 'failed'),
  ...asked,
  error: { code: code ?? kind, message, param: null, type: 'image_generation_error' },
})

const SHOWN = 'The image was made, and the user sees it.'
const NOT_MADE = 'The image could not be made.'

/** What the model is told about a picture that it asked for. */
export function outcomeOf({ status, error }: JsonObject): string {
  if (status !== 'failed') return `${SHOWN} Do not repeat it, link to it or describe it at length.`
  const message = isObject(error) ? stringIn(error.message) : undefined
  return `${NOT_MADE}${message === undefined ? '' : ` ${message}`} Tell the user.`
}

/**
 * An earlier picture as the call by which its model asked for it, and the result of that call: whoever reads it may ask for another in
 * the same way. All other items stay as they are.
 * @param name of the function that draws @param index of the item in its conversation
 */
export function callsOf(item: Json, name: string, index: number): Json[] {
  if (!isPictureItem(item)) return [item]
  const call_id = `call_picture_${index}`
  const prompt = stringIn(item.revised_prompt) ?? ''
  return [
    { type: 'function_call', call_id, name, arguments: JSON.stringify({ prompt }) },
    { type: 'function_call_output', call_id, output: outcomeOf(item) },
  ]
}

/** An earlier picture in words, for a model that has no such function; undefined if nothing is known of it. */
export function wordsOf({ status, revised_prompt }: JsonObject): string | undefined {
  const prompt = stringIn(revised_prompt)
  if (!prompt) return undefined
  return `[${status === 'failed' ? NOT_MADE : SHOWN} ${prompt}]`
}
