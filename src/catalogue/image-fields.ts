// The schema of the additional fields of image models, without their price.
import { Type } from '@sinclair/typebox'
import { EXTRA_QUALITIES } from '../domain/catalogue.ts'
import { Count, closed, MAX_COUNT, Milliseconds } from './schema-parts.ts'

export const imageFields = {
  max_n_per_request: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: 100,
    description: 'the most images of one call',
  }),
  timeout_ms: Milliseconds({
    default: 300_000,
    minimum: 1,
    description: 'the longest that a provider may take for an image',
  }),
  sizes: Type.Optional(
    Type.Array(
      Type.String({
        pattern: '^([0-9]+x[0-9]+|[0-9.]+K|auto)$',
        must: '"auto" or a size such as "1024x1024" or "4K"',
      }),
      { description: 'the sizes of its images; without this, any up to 2048x2048, 1K and 2K' },
    ),
  ),
  qualities: Type.Array(Type.Union(EXTRA_QUALITIES.map((quality) => Type.Literal(quality))), {
    default: [],
    uniqueItems: true,
    must: 'a list of "xhigh" and "max"',
    description: 'values of `quality` that callers may send beside auto, high, medium and low',
  }),
  edit_images: Type.Boolean({
    default: false,
    description: 'whether edits in JSON may name images in `images`, and a `mask`',
  }),
  max_tokens_per_image: Type.Integer({
    default: 16_384,
    minimum: 1,
    maximum: MAX_COUNT,
    description: 'where the price is by tokens: the most tokens of one image, which are held',
  }),
  bounds: Type.Array(
    Type.Object(
      {
        size: Type.Optional(Type.String()),
        quality: Type.Optional(Type.String()),
        max_tokens_per_image: Count('the most tokens of such an image'),
      },
      closed,
    ),
    { default: [], description: 'the same by size and quality' },
  ),
}
