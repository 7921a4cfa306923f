// Creation of image orders from checked fields: output shape and source images.
import type { Static, TObject } from '@sinclair/typebox'
import type { ImageOrder, Source } from '../../src/calls/kinds/image/order.ts'
import type { InlineImages } from '../../src/calls/kinds/image/read-body.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import { hasAspectRatio, parseAspectRatio, parseSize } from '../../src/domain/image-size.ts'
import { faultsIn, fits } from '../../src/domain/validation.ts'
import { refusalOf } from '../../src/http/refusal.ts'
import { isUuid } from '../../src/library/names.ts'
import { assertFormatFitsBackground, assertFormatIsCompressed } from '../../src/media/convert.ts'
import type { Generation } from '../../src/store/schema.ts'
import {
  type CommonFields,
  type ComposeRequest,
  type EditRequest,
  type ImageReference,
  MAX_REFERENCES,
} from './model.ts'

/**
 * Checks the fields of a request. A null field counts as absent, as at OpenAI.
 * @throws GatewayError invalid_request about the first invalid field, which is its `param`
 */
export function checkFields<S extends TObject>(
  schema: S,
  values: Readonly<Record<string, unknown>>,
): Static<S> {
  const present = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
  if (fits(schema, present)) return present
  const [first] = faultsIn(schema, present)
  throw refusalOf(first ? [first] : [], 'field')
}

/** The parts of an order that do not come from its fields. */
type Origin = Pick<ImageOrder, 'sources' | 'content' | 'kept_bytes' | 'mask' | 'mask_source'>

/**
 * @throws GatewayError invalid_request for a malformed size or ratio, a ratio that contradicts the size, a transparent JPEG, or a compressed PNG
 */
export function orderOf(kind: Generation['kind'], fields: CommonFields, origin: Origin): ImageOrder {
  const { model, prompt, n = 1, size, aspect_ratio, quality, background, output_format, stream } = fields
  const { output_compression, input_fidelity, moderation, partial_images } = fields
  const parsed = size === undefined ? 'auto' : parseSize(size)
  const order: ImageOrder = {
    kind,
    model_id: model,
    prompt,
    count: n,
    size_text: size,
    size: parsed === 'auto' ? undefined : parsed,
    aspect_ratio: aspect_ratio === undefined ? undefined : parseAspectRatio(aspect_ratio),
    quality,
    background,
    streams: stream === true,
    partial_images,
    output_format: kind === 'compose' ? 'png' : output_format,
    output_compression,
    input_fidelity,
    moderation,
    ...origin,
  }
  assertFormatFitsBackground(order)
  assertFormatIsCompressed(order)
  if (order.size && order.aspect_ratio && !hasAspectRatio(order.size, order.aspect_ratio))
    throw invalidRequest(`aspect_ratio: contradicts the size ${size}. Leave one of the two out.`, {
      param: 'aspect_ratio',
    })
  return order
}

/**
 * Returns the sources of an edit as JSON: one stored image, or `images`.
 * @throws GatewayError invalid_request if several of these fields are present, or none
 */
export function editSources(
  { image_key, generation_id, images }: EditRequest,
  inline: InlineImages,
): Source[] {
  if (images !== undefined) {
    if (image_key === undefined && generation_id === undefined)
      return images.map((one, at) => sourceOf(one, `images.${at}`, inline))
    throw invalidRequest('images excludes image_key and generation_id: send exactly one of them.', {
      param: 'images',
    })
  }
  if (image_key !== undefined && generation_id === undefined) return [{ kind: 'file', key: image_key }]
  if (generation_id !== undefined && image_key === undefined)
    return [{ kind: 'generation', uuid: generation_id }]
  const fault =
    image_key === undefined
      ? 'One of image_key and generation_id is needed'
      : 'image_key and generation_id exclude each other'
  throw invalidRequest(`${fault}: send exactly one of them.`, { param: 'image_key' })
}

/**
 * Returns the source for an image reference of OpenAI's API. A `file_id` is an upload's key, or the UUID of an earlier image.
 * @throws GatewayError invalid_request if both fields are present, or neither
 */
export function sourceOf(
  { image_url, file_id }: ImageReference,
  param: string,
  inline: InlineImages,
): Source {
  if (image_url !== undefined && file_id === undefined)
    return { kind: 'inline', text: image_url, decoded: inline.get(image_url) }
  if (file_id === undefined || image_url !== undefined)
    throw invalidRequest(`${param}: needs exactly one of image_url and file_id.`, { param })
  return isUuid(file_id) ? { kind: 'generation', uuid: file_id } : { kind: 'file', key: file_id }
}

/**
 * Returns the sources of a compose, in the order of their arrays.
 * @throws GatewayError invalid_request with code `invalid_source` if none exists, or more than three
 */
export function composeSources(fields: ComposeRequest, images: InlineImages): Source[] {
  const { image_keys = [], generation_ids = [], image_urls = [] } = fields
  const sources: Source[] = [
    ...image_keys.map((key) => ({ kind: 'file', key }) as const),
    ...generation_ids.map((uuid) => ({ kind: 'generation', uuid }) as const),
    ...image_urls.map((text) => ({ kind: 'inline', text, decoded: images.get(text) }) as const),
  ]
  if (sources.length === 0 || sources.length > MAX_REFERENCES)
    throw invalidRequest(
      `1 to ${MAX_REFERENCES} references are needed, in image_keys, generation_ids and image_urls together.`,
      { code: 'invalid_source' },
    )
  return sources
}
