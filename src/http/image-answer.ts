// The answer that is an image's bytes, with headers that keep browsers from reading them as anything else.
import { Type } from '@sinclair/typebox'
import type { ImageMime } from '../domain/image-formats.ts'

/** Such an answer in a route's schema, where nothing is checked: it is a `Response` already. */
export const ImageBytes = Type.Unsafe<Blob>(
  Type.Any({
    type: 'string',
    format: 'binary',
    description: 'The image.',
    media_types: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] satisfies ImageMime[],
  }),
)

interface ImageFile {
  body: Blob | ReadableStream<Uint8Array>
  /** Judged by its leading bytes, not by what its sender called it. */
  mime: ImageMime
  /** Free of characters that would need quoting. */
  filename: string
  /** By default no cache may store it: one that several people use could show it to others. */
  cache_control?: string
}

/** An image to its owner. */
export function imageAnswer({
  body,
  mime,
  filename,
  cache_control = 'private, no-store',
}: ImageFile): Response {
  return new Response(body, {
    headers: {
      'content-type': mime,
      'content-disposition': `inline; filename="${filename}"`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': cache_control,
    },
  })
}
