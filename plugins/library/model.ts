// Schemas of the callers' routes of generated images.
import { type Static, Type } from '@sinclair/typebox'
import { formatOf, type ImageFormat } from '../../src/domain/image-formats.ts'
import { formatUsd } from '../../src/domain/money.ts'
import { ImageBytes } from '../../src/http/image-answer.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS } from '../../src/http/paging.ts'
import { ModelName } from '../../src/http/parameters.ts'
import { ErrorBody } from '../../src/http/plain-error.ts'
import { Closed, failures, Nullable, OneOf } from '../../src/http/schema.ts'
import type { HistoryImage } from './history.ts'

const KINDS = ['generation', 'edit', 'compose'] as const

/** silent.md, Images: "newest first, `limit`, `cursor`, `model`, `kind`". */
const HistoryQuery = Closed({
  model: Type.Optional({ ...ModelName, description: 'Of this model only.', examples: ['sim-image'] }),
  kind: Type.Optional(OneOf(KINDS, { description: 'Made in this way only.', examples: ['generation'] })),
  ...PAGE_PARAMETERS,
})

const ImageParams = Type.Object({
  id: Type.String({
    pattern: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$',
    must: 'a UUID, as the call that made the image answered it',
    code: 'invalid_generation_id',
    description: 'The id of an image.',
    examples: ['3f0c2d5e-9a41-4b77-8c1d-5e2f6a7b8c9d'],
  }),
})

/** silent.md, Images: "id, created, model, prompt, size, format, bytes, cost, state, parents"; fields are null until they are known. */
const ImageView = Closed({
  id: Type.String({ description: 'Its id, a UUID.' }),
  created: Type.Integer({ description: 'Seconds since 1970, UTC.' }),
  kind: OneOf(KINDS, { description: 'How it was made.' }),
  model: Type.String({ description: 'The model.' }),
  prompt: Type.String({ description: 'The prompt as it was sent.' }),
  revised_prompt: Nullable(Type.String({ description: 'The prompt as the model understood it.' })),
  size: Nullable(Type.String({ description: 'Its width and height, such as `1024x1024`.' })),
  format: Nullable(OneOf<ImageFormat>(['png', 'jpeg', 'webp', 'gif'], { description: 'Its format.' })),
  bytes: Nullable(Type.Integer({ description: 'The size of its file.' })),
  sha256: Nullable(Type.String({ description: 'The SHA-256 of its file.' })),
  cost: Nullable(Type.String({ description: 'Its charge, in USD as a decimal number.' })),
  state: OneOf(['generating', 'stored', 'failed', 'missing'], {
    description: 'Its state; `missing` while its file cannot be found.',
  }),
  parents: Type.Array(Type.String(), { description: 'The images and files that it was made from.' }),
})

const HistoryView = Closed(
  { images: Type.Array(ImageView, { description: 'Newest first.' }), ...PAGE_FIELDS },
  { description: 'A page of images.' },
)

const DeletedView = Closed(
  { id: Type.String({ description: 'The image.' }), deleted: Type.Literal(true) },
  { description: 'Deleted.' },
)

const tags = ['Images']
const BEING_MADE = { ...ErrorBody, description: 'The image is still being made.' }

export const LIST = {
  query: HistoryQuery,
  response: { 200: HistoryView, ...failures(ErrorBody, 400, 401, 403, 429, 502) },
  detail: {
    tags,
    operationId: 'listImages',
    summary: 'List generated images',
    description: 'The images of the account, newest first, each with its sources. Free of charge.',
  },
}

export const READ = {
  params: ImageParams,
  response: {
    200: ImageBytes,
    ...failures(ErrorBody, 400, 401, 403, 404, 429, 502, 503),
    409: BEING_MADE,
    422: { ...ErrorBody, description: 'The image could not be generated.' },
  },
  detail: {
    tags,
    operationId: 'getImage',
    summary: 'Read an image',
    description: 'Its bytes. It costs nothing.',
  },
}

export const REMOVE = {
  parse: 'none' as const,
  params: ImageParams,
  response: { 200: DeletedView, ...failures(ErrorBody, 400, 401, 403, 404, 429, 502, 503), 409: BEING_MADE },
  detail: {
    tags,
    operationId: 'deleteImage',
    summary: 'Delete an image',
    description: 'The image goes; the record of what it cost stays.',
  },
}

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
