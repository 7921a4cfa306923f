// What can be asked of an account's images, and what is shown of them.
import { type Static, Type } from '@sinclair/typebox'
import { formatOf, type ImageFormat } from '../../src/domain/image-formats.ts'
import { formatUsd } from '../../src/domain/money.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS } from '../../src/http/paging.ts'
import { ModelName } from '../../src/http/parameters.ts'
import { Nullable, OneOf } from '../../src/http/schema.ts'
import type { HistoryImage } from '../../src/library/history.ts'

const closed = { additionalProperties: false }
const Kind = OneOf(['generation', 'edit', 'compose'])

/** silent.md, Images: "newest first, `limit`, `cursor`, `model`, `kind`". */
export const HistoryQuery = Type.Object(
  { model: Type.Optional(ModelName), kind: Type.Optional(Kind), ...PAGE_PARAMETERS },
  closed,
)

export const ImageParams = Type.Object({
  id: Type.String({
    pattern: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$',
    must: 'a UUID, as the call that made the image answered it',
    code: 'invalid_generation_id',
  }),
})

/** silent.md, Images: "id, created, model, prompt, size, format, bytes, cost, state, parents"; null for what is not there yet. */
const ImageView = Type.Object(
  {
    id: Type.String(),
    created: Type.Integer({ description: 'seconds since 1970, UTC' }),
    kind: Kind,
    model: Type.String(),
    prompt: Type.String(),
    revised_prompt: Nullable(Type.String()),
    size: Nullable(Type.String()),
    format: Nullable(OneOf<ImageFormat>(['png', 'jpeg', 'webp', 'gif'])),
    bytes: Nullable(Type.Integer()),
    sha256: Nullable(Type.String()),
    cost: Nullable(Type.String({ description: 'USD as a decimal number' })),
    state: OneOf(['generating', 'stored', 'failed', 'missing']),
    parents: Type.Array(Type.String()),
  },
  closed,
)

export const HistoryView = Type.Object({ images: Type.Array(ImageView), ...PAGE_FIELDS }, closed)

export const DeletedView = Type.Object({ id: Type.String(), deleted: Type.Literal(true) }, closed)

export function imageView(image: HistoryImage): Static<typeof ImageView> {
  const { uuid, kind, model, prompt, revised_prompt, parents, missing_since_ms } = image
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
    state: missing_since_ms === null ? image.state : 'missing',
    parents,
  }
}
