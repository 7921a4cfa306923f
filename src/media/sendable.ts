// Pictures as image models are sent them: still, upright, and without metadata but their colour profile.
import type { Sharp } from 'sharp'
import { formatOf, type ImageMime, type OutputFormat } from '../domain/image-formats.ts'
import { isAnimated } from './animation.ts'
import { convert } from './convert.ts'
import { inspectImage } from './inspect.ts'
import { withoutMetadata } from './metadata.ts'
import { FIRST_FRAME, openImage, withSharp } from './sharp.ts'

interface SendableImage {
  readonly bytes: Uint8Array
  readonly mime: ImageMime
}

/** Of a picture that is turned: as good as the format allows without growing much. */
const QUALITY = 95
const ENCODE: Readonly<Record<OutputFormat, (image: Sharp) => Sharp>> = {
  png: (image) => image.png(),
  jpeg: (image) => image.jpeg({ quality: QUALITY, chromaSubsampling: '4:4:4' }),
  webp: (image) => image.webp({ quality: QUALITY }),
}

/**
 * A picture for an image model. Where it is to be turned, it is written anew; else its metadata, the place where it was taken among
 * them, is cut out, and the picture itself stays byte for byte. Of an animated one it is the first frame, as a PNG.
 * @returns the very same bytes where nothing has to change; a damaged one stays as it is unless it has to be decoded
 * @throws GatewayError as `inspectImage`, for one that has to be decoded
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
