// Images of further formats made into PNG or JPEG, which every model reads: TIFF and AVIF, which callers may not store, and the four that they may.
import { GatewayError, invalidRequest } from '../domain/errors.ts'
import { sniffImage } from '../domain/image-formats.ts'
import { isAnimated } from './animation.ts'
import { MAX_PIXELS } from './limits.ts'
import { FIRST_FRAME, openImage, withSharp } from './sharp.ts'

/** TIFF 6.0, section 2; AV1 Image File Format, section 6: the brands of its files. HEIC, of the same container, cannot be decoded here. */
const FURTHER: readonly (readonly [mime: string, offset: number, texts: readonly string[]])[] = [
  ['image/tiff', 0, ['II*\0', 'MM\0*']],
  ['image/avif', 4, ['ftypavif', 'ftypavis']],
]

/** The media type by the leading bytes alone, of all that can be decoded; undefined for any other file. */
export const sniffReadable = (bytes: Uint8Array): string | undefined =>
  sniffImage(bytes) ??
  FURTHER.find(([, offset, texts]) =>
    texts.includes(String.fromCharCode(...bytes.subarray(offset, offset + (texts[0]?.length ?? 0)))),
  )?.[0]

interface EncodedImage {
  readonly bytes: Uint8Array
  readonly mime_type: string
}

const QUALITY = 92

/**
 * The first frame of an image, upright: as a PNG where it has an alpha channel or is animated, else as a JPEG.
 * @throws GatewayError invalid_request for one that is damaged or has more than 40 million pixels; images_unavailable
 */
export const reencode = (bytes: Uint8Array): Promise<EncodedImage> =>
  withSharp(async (sharp) => {
    const image = openImage(sharp, bytes, FIRST_FRAME).autoOrient().keepIccProfile()
    const { hasAlpha: has_alpha } = await image.metadata()
    return has_alpha || isAnimated(bytes)
      ? { bytes: await image.png().toBuffer(), mime_type: 'image/png' }
      : { bytes: await image.jpeg({ quality: QUALITY }).toBuffer(), mime_type: 'image/jpeg' }
  }).catch((cause: unknown) => {
    if (cause instanceof GatewayError) throw cause
    throw invalidRequest(
      `An image of the request cannot be decoded: it is damaged, or has more than ${MAX_PIXELS / 1_000_000} million pixels. Export it again and resend it.`,
      { cause },
    )
  })
