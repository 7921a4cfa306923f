// Stream events of the image endpoints, as OpenAI's SDK reads them: partial images, then each whole image.
// https://platform.openai.com/docs/api-reference/images-streaming
import { formatOf } from '../../../domain/image-formats.ts'
import type { ImageTokens } from '../../../domain/image-tokens.ts'
import { formatUsd } from '../../../domain/money.ts'
import { NO_USAGE, outputTokens, promptTokens } from '../../../domain/usage.ts'
import { idHeaders } from '../../../http/answers.ts'
import type { ConvertedImage } from '../../../media/convert.ts'
import { base64Of } from '../../../protocols/wire/byte-string.ts'
import { eventFrame } from '../../../upstream/relay.ts'
import type { PaidImages } from './generated-images.ts'
import type { ImageOrder } from './order.ts'

const FRAME = eventFrame('error')

export const EVENTS_CONTENT_TYPE = FRAME.content_type

type EventOrder = Pick<ImageOrder, 'kind' | 'quality' | 'background'>

/** Several images in one form are a compose for the gateway, and an edit for OpenAI's SDK. */
const nameOf = ({ kind }: EventOrder): string => (kind === 'generation' ? 'image_generation' : 'image_edit')

function writeEvent(
  event: string,
  image: ConvertedImage,
  order: EventOrder,
  created_ms: number,
  more: object,
) {
  const { bytes, mime, width, height } = image
  const { quality = 'auto', background = 'auto' } = order
  const data = {
    type: event,
    b64_json: base64Of(bytes),
    created_at: Math.floor(created_ms / 1_000),
    size: `${width}x${height}`,
    quality,
    background,
    output_format: formatOf(mime),
    ...more,
  }
  return FRAME.event({ event, data: JSON.stringify(data) }, false)
}

/** @param index 0 for the first partial image */
export const partialEvent = (
  image: ConvertedImage,
  index: number,
  order: EventOrder,
  created_ms: number,
): string =>
  writeEvent(`${nameOf(order)}.partial_image`, image, order, created_ms, { partial_image_index: index })

/** Writes one event for each image; the last has the call's cost. @param partial_images sent before */
export function completedEvents(
  { images, uuids, cost_nanos, tokens, created_ms }: Omit<PaidImages, 'request_id'>,
  order: EventOrder,
  partial_images = 0,
): string {
  const usage = {
    images: images.length,
    partial_images: partial_images || undefined,
    ...tokenFields(tokens),
  }
  const last = { usage, cost: formatUsd(cost_nanos) }
  // Typed clients reject events without usage. Added up, these are the call's usage.
  const others = { usage: tokenFields(NO_TOKENS) }
  return images
    .map((image, index) =>
      writeEvent(`${nameOf(order)}.completed`, image, order, created_ms, {
        svc_generation_id: uuids[index],
        ...(index === images.length - 1 ? last : others),
      }),
    )
    .join('')
}

/** For images priced by count. */
const NO_TOKENS: ImageTokens = { usage: NO_USAGE, image_input_tokens: 0, image_cache_read_tokens: 0 }

/**
 * The billed tokens, with every field of OpenAI's type (openai's resources/images.d.ts, ImagesResponse.Usage): Rust's
 * async-openai (src/types/images, ImageGenUsage) and openai-java's `validate()` reject a usage without one of them.
 */
export function tokenFields({ usage, image_input_tokens, image_cache_read_tokens }: ImageTokens = NO_TOKENS) {
  const input_tokens = promptTokens(usage)
  const image_tokens = image_input_tokens + image_cache_read_tokens
  const output_tokens = outputTokens(usage)
  const { output_image_tokens } = usage
  return {
    input_tokens,
    input_tokens_details: { text_tokens: input_tokens - image_tokens, image_tokens },
    output_tokens,
    output_tokens_details: {
      text_tokens: output_tokens - output_image_tokens,
      image_tokens: output_image_tokens,
    },
    total_tokens: input_tokens + output_tokens,
  }
}

/** The event that reports inside the stream that generation failed. @param error_json in the endpoints' format */
export const failedEvent = (error_json: string): string => FRAME.fail(error_json, false)

/** Writes paid images as a stream of events, all at once. */
export const writeImageEvents = (paid: PaidImages, order: EventOrder): Response =>
  new Response(completedEvents(paid, order), {
    headers: { 'content-type': EVENTS_CONTENT_TYPE, ...idHeaders(paid) },
  })
