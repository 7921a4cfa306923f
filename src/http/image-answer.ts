// Owns how the bytes of an image leave by themselves: as the type that they are, for no browser to read as anything else.
import type { ImageMime } from '../domain/image-formats.ts'

export interface ImageFile {
  bytes: Blob
  /** By its leading bytes, never as its sender called it. */
  mime: ImageMime
  /** In letters that need no quoting. */
  filename: string
}

/** An image to its owner. Whoever stores it on the way could show it to another. */
export function imageAnswer({ bytes, mime, filename }: ImageFile): Response {
  return new Response(bytes, {
    headers: {
      'content-type': mime,
      'content-disposition': `inline; filename="${filename}"`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    },
  })
}
