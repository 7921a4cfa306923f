// Pictures for a page's own <img>: whole or as thumbnails, with the session's cookie, kept by this browser alone.
import type { Context } from 'elysia'
import { notFound } from '../../../src/domain/errors.ts'
import type { ImageMime } from '../../../src/domain/image-formats.ts'
import type { WholeBytes } from '../../../src/domain/stored-bytes.ts'
import { imageAnswer } from '../../../src/http/image-answer.ts'
import { THUMBNAIL_MIME, type Thumbnails } from '../thumbnails.ts'

/** The content of an address never changes. */
const CACHE_CONTROL = 'private, max-age=86400, immutable'

export interface Picture {
  /** Unique for its content. */
  name: string
  mime: ImageMime
  filename: string
  open: () => Promise<WholeBytes | undefined>
}

type Set = Pick<Context['set'], 'headers'>

/** Lets the browser keep the answer for this session: another one, with another cookie, does not get it. */
function keepInBrowser({ headers }: Set): void {
  headers['cache-control'] = CACHE_CONTROL
  headers.vary = 'Cookie'
}

/** @throws GatewayError not_found if its file is missing */
export async function wholePicture(set: Set, { mime, filename, open }: Picture): Promise<Response> {
  keepInBrowser(set)
  const file = await open()
  if (!file) throw missing()
  return imageAnswer({ body: file.body(), mime, filename, cache_control: CACHE_CONTROL })
}

/** @throws GatewayError not_found if its file is missing */
export async function thumbnailOf(
  set: Set,
  thumbnails: Thumbnails,
  { name, filename, open }: Picture,
): Promise<Response> {
  keepInBrowser(set)
  const small = await thumbnails.of(name, open)
  if (!small) throw missing()
  return imageAnswer({
    body: new Blob([small]),
    mime: THUMBNAIL_MIME,
    filename: `${filename}.webp`,
    cache_control: CACHE_CONTROL,
  })
}

const missing = () => notFound('The file of this image is missing. Retry later, or delete the image.')
