// Images in forms that models accept: for image models still, upright and without metadata; for other models PNG or JPEG, also from TIFF and AVIF.
import type { Sharp } from 'sharp'
import { GatewayError, invalidRequest } from '../domain/errors.ts'
import { formatOf, type ImageMime, type OutputFormat, sniffImage } from '../domain/image-formats.ts'
import { isAnimated } from './animation.ts'
import { convert } from './convert.ts'
import { inspectImage } from './inspect.ts'
import { MAX_PIXELS } from './limits.ts'
import { withoutMetadata } from './metadata.ts'
import { FIRST_FRAME, openImage, withSharp } from './sharp.ts'

/** TIFF 6.0, section 2; AV1 Image File Format, section 6: file brands. HEIC, in the same container, cannot be decoded here. */
const FURTHER: readonly (readonly [mime: string, offset: number, texts: readonly string[]])[] = [
  ['image/tiff', 0, ['II*\0', 'MM\0*']],
  ['image/avif', 4, ['ftypavif', 'ftypavis']],
]

/** Returns the media type by the leading bytes alone; undefined if the file cannot be decoded. */
export const sniffReadable = (bytes: Uint8Array): string | undefined =>
  sniffImage(bytes) ??
  FURTHER.find(([, offset, texts]) =>
    texts.includes(String.fromCharCode(...bytes.subarray(offset, offset + (texts[0]?.length ?? 0)))),
  )?.[0]

interface EncodedImage {
  readonly bytes: Uint8Array
  readonly mime_type: string
}

/**
 * Encodes the first frame of an image, upright: as PNG if the image has an alpha channel or is animated, otherwise as JPEG.
 * @throws GatewayError invalid_request if it is damaged or has more than 40 million pixels; images_unavailable
 */
export const reencode = (bytes: Uint8Array): Promise<EncodedImage> =>
  withSharp(async (sharp) => {
    const image = openImage(sharp, bytes, FIRST_FRAME).autoOrient().keepIccProfile()
    const { hasAlpha: has_alpha } = await image.metadata()
    return has_alpha || isAnimated(bytes)
      ? { bytes: await image.png().toBuffer(), mime_type: 'image/png' }
      : { bytes: await image.jpeg({ quality: 92 }).toBuffer(), mime_type: 'image/jpeg' }
  }).catch((cause: unknown) => {
    if (cause instanceof GatewayError) throw cause
    throw invalidRequest(
      `An image of the request cannot be decoded: it is damaged, or has more than ${MAX_PIXELS / 1_000_000} million pixels. Export it again and resend it.`,
      { cause },
    )
  })

interface SendableImage {
  readonly bytes: Uint8Array
  readonly mime: ImageMime
}

/** The quality of a rotated image: high, but without making the file much larger. */
const QUALITY = 95
const ENCODE: Readonly<Record<OutputFormat, (image: Sharp) => Sharp>> = {
  png: (image) => image.png(),
  jpeg: (image) => image.jpeg({ quality: QUALITY, chromaSubsampling: '4:4:4' }),
  webp: (image) => image.webp({ quality: QUALITY }),
}

/**
 * Prepares an image for an image model. If its orientation is not upright, it is encoded again; otherwise only its metadata, such as the
 * location of a photo, is cut out, and the image data stays the same. An animated image becomes its first frame, as PNG.
 * @returns the same bytes if nothing has to change; a damaged image is returned unchanged unless it has to be decoded
 * @throws GatewayError as `inspectImage`, if the image has to be decoded
 */
export async function sendable(bytes: Uint8Array, mime: ImageMime): Promise<SendableImage> {
  if (mime === 'image/gif' || isAnimated(bytes)) {
    await inspectImage(bytes)
    return convert(bytes, { output_format: 'png' })
  }
  const { bytes: bare, orientation = 1 } = withoutMetadata(bytes, mime)
  if (orientation === 1) return { bytes: bare, mime }
  await inspectImage(bytes)
  const format = formatOf(mime)
  const encode = format === 'gif' ? ENCODE.png : ENCODE[format]
  const upright = await withSharp((sharp) =>
    encode(openImage(sharp, bytes, FIRST_FRAME).autoOrient().keepIccProfile()).toBuffer(),
  )
  return { bytes: upright, mime }
}
