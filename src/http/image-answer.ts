// Answers with the bytes of an image, with headers that prevent browsers from interpreting them as another type.
import { Type } from '@sinclair/typebox'
import type { ImageMime } from '../domain/image-formats.ts'

/** The schema of such an answer. It is not validated, since it is already a `Response`. */
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
  /** Detected by its leading bytes, not by the sender's claim. */
  mime: ImageMime
  /** Without characters that need quoting. */
  filename: string
  /** By default no cache may store it, since a shared cache could reveal it to others. */
  cache_control?: string
}

/** Returns an image to its owner. */
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
