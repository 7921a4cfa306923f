// Pictures for a page's own <img>: whole or as thumbnails, with the session's cookie, kept by this browser alone.
import { imageAnswer } from '../../../src/http/image-answer.ts'
import type { ImageMime } from '../../../src/domain/image-formats.ts'
import { notFound } from '../../../src/domain/errors.ts'
import { THUMBNAIL_MIME, type Thumbnails } from '../../../src/media/thumbnails.ts'

/** What an image shows never changes under its address. Another session does not get what was kept for this one. */
const CACHE_CONTROL = 'private, max-age=86400, immutable'

export interface Picture {
  /** Unique for its content. */
  name: string
  mime: ImageMime
  filename: string
  open: () => Promise<Blob | undefined>
}

/** @throws GatewayError not_found where its file is missing */
export async function wholePicture({ mime, filename, open }: Picture): Promise<Response> {
  const bytes = await open()
  if (!bytes) throw missing()
  return forCookie(imageAnswer({ bytes, mime, filename, cache_control: CACHE_CONTROL }))
}

/** @throws GatewayError not_found where its file is missing */
export async function thumbnailOf(thumbnails: Thumbnails, { name, filename, open }: Picture): Promise<Response> {
  const small = await thumbnails.of(name, open)
  if (!small) throw missing()
  const bytes = new Blob([small])
  return forCookie(
    imageAnswer({
      bytes,
      mime: THUMBNAIL_MIME,
      filename: `${filename}.webp`,
      cache_control: CACHE_CONTROL,
    }),
  )
}

function forCookie(answer: Response): Response {
  answer.headers.set('vary', 'Cookie')
  return answer
}

const missing = () =>
  notFound('This image is missing at the moment: its file cannot be found. Retry later, or delete it.')
