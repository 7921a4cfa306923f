// The answer of the image endpoints: images in base64, with the ids by which they may be referred to.

import { formatOf } from '../../domain/image-formats.ts'
import { formatUsd } from '../../domain/money.ts'
import { idHeaders, jsonAnswer } from '../../http/answers.ts'
import { eventFrame } from '../../upstream/relay.ts'
import type { PaidImages } from './drawn.ts'
import type { ImageOrder } from './order.ts'

/** spec.md, Image response; `usage` and `cost` (USD): silent.md, Images. */
export function writeImages({ images, uuids, cost_nanos, created_ms, request_id }: PaidImages): Response {
  const body = {
    created: Math.floor(created_ms / 1_000),
    data: images.map(({ bytes, revised_prompt }) => ({
      b64_json: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
      revised_prompt,
    })),
    svc_generation_ids: uuids,
    usage: { images: images.length },
    cost: formatUsd(cost_nanos),
  }
  return jsonAnswer(body, request_id)
}

/**
 * The same as a stream of events, as OpenAI's SDK reads it: each image whole. No partial images come: the images that are asked of
 * a provider are asked for whole, and OpenAI sends fewer than were asked for, too.
 * https://platform.openai.com/docs/api-reference/images-streaming
 */
export function writeImageEvents(
  { images, uuids, cost_nanos, created_ms, request_id }: PaidImages,
  { kind, quality = 'auto', background = 'auto' }: Pick<ImageOrder, 'kind' | 'quality' | 'background'>,
): Response {
  const type = kind === 'generation' ? 'image_generation.completed' : 'image_edit.completed'
  const frame = eventFrame()
  const events = images.map(({ bytes, mime, width, height }, index) => {
    const data = {
      type,
      b64_json: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
      created_at: Math.floor(created_ms / 1_000),
      size: `${width}x${height}`,
      quality,
      background,
      output_format: formatOf(mime),
      svc_generation_id: uuids[index],
      // Of the whole call, with its last image.
      ...(index === images.length - 1
        ? { usage: { images: images.length }, cost: formatUsd(cost_nanos) }
        : {}),
    }
    return frame.event({ event: type, data: JSON.stringify(data) }, index === 0)
  })
  const headers = { 'content-type': frame.content_type, ...idHeaders({ request_id }) }
  return new Response(events.join(''), { headers })
}
