// Inspection of images by complete decoding, since a header alone may be forged.
import type { Metadata } from 'sharp'
import { type GatewayError, invalidRequest } from '../domain/errors.ts'
import { type ImageMime, sniffImage } from '../domain/image-formats.ts'
import { countPngFrames } from './apng.ts'
import { MAX_FRAMES, MAX_PIXELS } from './limits.ts'
import { ALL_FRAMES, decodeWhole, type SharpModule, withSharp } from './sharp.ts'

export interface ImageFacts {
  readonly mime: ImageMime
  /** Pixels of one frame as displayed, with the EXIF orientation applied. */
  readonly width: number
  readonly height: number
  readonly frames: number
  readonly has_alpha: boolean
}

/**
 * Decodes an image completely, with all its frames, and returns its properties.
 * @param bytes a file of any kind; neither changed nor kept
 * @throws GatewayError invalid_request with code `IMAGE_TYPE_UNSUPPORTED` (not one of the four formats by its leading
 * bytes), `IMAGE_TOO_LARGE` (over 40 million pixels or 10,000 frames) or `invalid_request` (damaged)
 */
export async function inspectImage(bytes: Uint8Array): Promise<ImageFacts> {
  const mime = sniffImage(bytes)
  if (!mime)
    throw invalidRequest('The image must be a JPEG, PNG, GIF or WebP.', { code: 'IMAGE_TYPE_UNSUPPORTED' })
  return withSharp(async (sharp) => {
    const facts = factsOf(mime, bytes, await readHeader(sharp, bytes))
    assertAffordable(facts)
    await decodeWhole(sharp, bytes, ALL_FRAMES).catch(refuse)
    return facts
  })
}

const readHeader = (sharp: SharpModule, bytes: Uint8Array): Promise<Metadata> =>
  sharp(bytes, ALL_FRAMES).metadata().catch(refuse)

function factsOf(mime: ImageMime, bytes: Uint8Array, header: Metadata): ImageFacts {
  const frames = mime === 'image/png' ? countPngFrames(bytes) : (header.pages ?? 1)
  const { width, height } = header.autoOrient
  return { mime, width, height: header.pageHeight ?? height, frames, has_alpha: header.hasAlpha }
}

function assertAffordable({ width, height, frames }: ImageFacts): void {
  if (width * height * frames > MAX_PIXELS || frames > MAX_FRAMES) throw tooManyPixels()
}

/** Converts libvips' failures to refusals: an image is too large or damaged. Its messages are not for callers. */
function refuse(error: unknown): never {
  if (error instanceof Error && error.message.includes('pixel limit')) throw tooManyPixels(error)
  throw invalidRequest('The image is damaged and cannot be decoded. Export it again and resend it.', {
    code: 'invalid_request',
    cause: error,
  })
}

const tooManyPixels = (cause?: unknown): GatewayError =>
  invalidRequest('An image may have at most 40 million pixels, all frames together. Send a smaller one.', {
    code: 'IMAGE_TOO_LARGE',
    cause,
  })
