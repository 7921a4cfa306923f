// The answer of the image endpoints: images in base64, with the ids by which they may be referred to.

import { formatUsd } from '../../domain/money.ts'
import { jsonAnswer } from '../../http/answers.ts'
import { base64Of } from '../../protocols/wire/base64.ts'
import type { PaidImages } from './drawn.ts'

/** spec.md, Image response; `usage` and `cost` (USD): silent.md, Images. */
export function writeImages({ images, uuids, cost_nanos, created_ms, request_id }: PaidImages): Response {
  const body = {
    created: Math.floor(created_ms / 1_000),
    data: images.map(({ bytes, revised_prompt }) => ({
      b64_json: base64Of(bytes),
      revised_prompt,
    })),
    svc_generation_ids: uuids,
    usage: { images: images.length },
    cost: formatUsd(cost_nanos),
  }
  return jsonAnswer(body, request_id)
}
