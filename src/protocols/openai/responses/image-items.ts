// Items of generated images: their public form, and their description in words for models of other protocols.
import type { MediaPart } from '../../canonical/parts.ts'
import { isObject, type Json, type JsonObject, stringIn } from '../../wire/json.ts'

export const IMAGE_ITEM = 'image_generation_call'

const ID = /^ig_([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i

/** The id of an item, made of the image's id in the history. */
export const imageItemId = (uuid: string): string => `ig_${uuid}`

/** The id of an item's image in the history; undefined for any other item. */
export const historyImageId = (id: Json | undefined): string | undefined => ID.exec(stringIn(id) ?? '')?.[1]

export const isImageItem = (item: Json): item is JsonObject => isObject(item) && item.type === IMAGE_ITEM

/** The item of an image that the text model itself generated. Callers must not see addresses of the provider. @param id of the item */
export const imageItem = (id: string, { source }: Pick<MediaPart, 'source'>): JsonObject => ({
  id,
  type: IMAGE_ITEM,
  status: 'completed',
  result: source.by === 'data' ? source.data : null,
  ...(source.by === 'data' ? { output_format: source.mime_type.replace('image/', '') } : {}),
})

/** Reads such an item; undefined for images of the gateway's image models, and for items without their image. */
export function readImageItem({ id, result, output_format }: JsonObject, at: string): MediaPart | undefined {
  const data = stringIn(result)
  if (!data || historyImageId(id) !== undefined) return undefined
  const source = { by: 'data', mime_type: `image/${stringIn(output_format) ?? 'png'}`, data } as const
  return { kind: 'image', source, at }
}

const MADE = 'The image was generated and shown to the user.'
const NOT_MADE = 'The image could not be generated.'

/** Describes an earlier image in words, for a model without image generation; undefined if its prompt is unknown. */
export function describeImage({ status, revised_prompt }: JsonObject): string | undefined {
  const prompt = stringIn(revised_prompt)
  if (!prompt) return undefined
  return `[${status === 'failed' ? NOT_MADE : MADE} ${prompt}]`
}
