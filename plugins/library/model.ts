// Owns what can be asked of an account's images, and what is shown of them.
import { Type } from '@sinclair/typebox'
import { invalidRequest } from '../../src/domain/errors.ts'
import { formatOf } from '../../src/domain/image-formats.ts'
import { formatUsd } from '../../src/domain/money.ts'
import type { HistoryImage } from '../../src/library/history.ts'

/** Without a limit of the caller's, a page holds this many images. */
export const DEFAULT_LIMIT = 50
const MAX_IMAGES = 1_000
const KINDS = ['generation', 'edit', 'compose'] as const
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** silent.md, Images: "newest first, `limit`, `cursor`, `model`, `kind`". */
export const HistoryQuery = Type.Object(
  {
    model: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, must: 'the name of a model, of at most 128 characters' }),
    ),
    kind: Type.Optional(
      Type.Union(
        KINDS.map((kind) => Type.Literal(kind)),
        { must: `one of ${KINDS.join(', ')}` },
      ),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_IMAGES, must: `a whole number from 1 to ${MAX_IMAGES}` }),
    ),
    cursor: Type.Optional(Type.Integer({ minimum: 1, must: 'the next_cursor of the page before' })),
  },
  { additionalProperties: false },
)

/** @throws GatewayError invalid_request (`invalid_generation_id`) for what is no UUID */
export function requireUuid(text: string): string {
  if (UUID.test(text)) return text
  throw invalidRequest('The id must be a UUID, as the call that made the image answered it.', {
    code: 'invalid_generation_id',
  })
}

/** silent.md, Images: "id, created, model, prompt, size, format, bytes, cost, state, parents"; null for what is not there yet. */
export function imageView(image: HistoryImage) {
  const { uuid, kind, model, prompt, revised_prompt, state, parents } = image
  const { width, height, mime, bytes, sha256, cost_nanos, created_at_ms } = image
  return {
    id: uuid,
    created: Math.floor(created_at_ms / 1000),
    kind,
    model,
    prompt,
    revised_prompt,
    size: width === null || height === null ? null : `${width}x${height}`,
    format: mime === null ? null : formatOf(mime),
    bytes,
    sha256,
    cost: cost_nanos === null ? null : formatUsd(cost_nanos),
    state,
    parents,
  }
}
