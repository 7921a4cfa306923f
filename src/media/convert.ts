// Owns making what an upstream returned into what the caller asked for: size, ratio, format, background.
import type { Metadata, Sharp } from 'sharp'
import { GatewayError, invalidRequest, upstreamFailed } from '../domain/errors.ts'
import {
  formatOf,
  type ImageFormat,
  type ImageMime,
  mimeOf,
  type OutputFormat,
  sniffImage,
} from '../domain/image-formats.ts'
import { type AspectRatio, largestWithin, type Size } from '../domain/image-size.ts'
import { MAX_PIXELS } from './limits.ts'
import { decodeWhole, FIRST_FRAME, openImage, type SharpModule, withSharp } from './sharp.ts'

export type Background = 'auto' | 'transparent' | 'opaque'

/** What was asked for; what is undefined is left as it came. */
export interface ImageWish {
  readonly size?: Size | undefined
  /** Looked at only where no size is wished. */
  readonly aspect_ratio?: AspectRatio | undefined
  readonly output_format?: OutputFormat | undefined
  readonly background?: Background | undefined
}

export interface ConvertedImage {
  readonly bytes: Uint8Array
  readonly mime: ImageMime
  readonly width: number
  readonly height: number
}

interface Source extends Size {
  readonly format: ImageFormat
  readonly has_alpha: boolean
  /** EXIF, XMP, IPTC or comments; or frames that a still image does not keep. */
  readonly has_more_than_pixels: boolean
}

interface Target extends Size {
  readonly format: OutputFormat
  readonly has_alpha: boolean
}

const ENCODE: Readonly<Record<OutputFormat, (image: Sharp) => Sharp>> = {
  png: (image) => image.png({ compressionLevel: 6 }),
  jpeg: (image) => image.jpeg({ quality: 92, chromaSubsampling: '4:4:4' }),
  webp: (image) => image.webp({ quality: 92 }),
}

const WHITE = '#ffffff'

/**
 * Makes an image into what was asked for: the size exactly, scaled to cover it and cropped from the centre; or the
 * largest crop that has the aspect ratio exactly; really in the format; with an alpha channel or flattened on white.
 * A still image results, without metadata. What already is as asked is handed back as it came, byte for byte.
 *
 * @param bytes one image of the four formats, as an upstream returned it
 * @throws GatewayError invalid_request when a transparent JPEG is asked for; upstream_failed with code
 * `upstream_error` when the image cannot be decoded or the size not be made
 */
export async function convert(bytes: Uint8Array, wish: ImageWish): Promise<ConvertedImage> {
  assertFormatFitsBackground(wish)
  if (wish.size && wish.size.width * wish.size.height > MAX_PIXELS) throw unfit()
  const mime = sniffImage(bytes)
  if (!mime) throw unfit()
  return withSharp(async (sharp) => {
    const source = sourceOf(formatOf(mime), await sharp(bytes, FIRST_FRAME).metadata())
    const target = targetOf(source, wish)
    const output = isAsAsked(source, target)
      ? await proven(sharp, bytes)
      : await encode(sharp, bytes, source, target, wish)
    return { bytes: output, mime: mimeOf(target.format), width: target.width, height: target.height }
  }).catch((error: unknown) => {
    throw error instanceof GatewayError ? error : unfit(error)
  })
}

/**
 * JPEG has no alpha channel.
 *
 * @throws GatewayError invalid_request, param `background`
 */
export function assertFormatFitsBackground({ output_format, background }: ImageWish): void {
  if (output_format === 'jpeg' && background === 'transparent')
    throw invalidRequest('A JPEG cannot be transparent. Ask for png or webp, or for another background.', {
      code: 'invalid_request',
      param: 'background',
    })
}

function sourceOf(format: ImageFormat, header: Metadata): Source {
  const { exif, xmp, iptc, comments } = header
  return {
    ...header.autoOrient,
    format,
    has_alpha: header.hasAlpha,
    has_more_than_pixels: Boolean(exif ?? xmp ?? iptc ?? comments) || (header.pages ?? 1) > 1,
  }
}

function targetOf(
  source: Source,
  { size, aspect_ratio, output_format, background = 'auto' }: ImageWish,
): Target {
  const format = output_format ?? ownFormat(source.format, background)
  const opaque = format === 'jpeg' || background === 'opaque'
  return {
    ...(size ?? (aspect_ratio ? largestWithin(source, aspect_ratio) : sidesOf(source))),
    format,
    has_alpha: !opaque && (source.has_alpha || background === 'transparent'),
  }
}

/** The format to answer in where none was asked for: the image's own, if it is one that can be asked for and serves. */
function ownFormat(format: ImageFormat, background: Background): OutputFormat {
  const serves = format !== 'gif' && !(format === 'jpeg' && background === 'transparent')
  return serves ? format : 'png'
}

const isAsAsked = (source: Source, target: Target): boolean =>
  !source.has_more_than_pixels &&
  source.format === target.format &&
  source.has_alpha === target.has_alpha &&
  isSameSize(source, target)

/** Bytes that pass untouched are decoded all the same: what does not open is not an image to charge for. */
async function proven(sharp: SharpModule, bytes: Uint8Array): Promise<Uint8Array> {
  await decodeWhole(sharp, bytes, FIRST_FRAME)
  return bytes
}

async function encode(
  sharp: SharpModule,
  bytes: Uint8Array,
  source: Source,
  target: Target,
  wish: ImageWish,
): Promise<Uint8Array> {
  const upright = openImage(sharp, bytes, FIRST_FRAME).autoOrient()
  const shaped = reshape(upright, source, target, wish)
  const grounded = target.has_alpha
    ? shaped.ensureAlpha()
    : shaped.flatten({ background: WHITE }).removeAlpha()
  return ENCODE[target.format](grounded).toBuffer()
}

/** A ratio is met by cropping alone where it can be, which leaves the pixels as they are. */
function reshape(image: Sharp, source: Source, target: Target, { size }: ImageWish): Sharp {
  if (isSameSize(source, target)) return image
  const fits = target.width <= source.width && target.height <= source.height
  if (size || !fits) return image.resize({ ...sidesOf(target), fit: 'cover', position: 'centre' })
  return image.extract({
    left: Math.floor((source.width - target.width) / 2),
    top: Math.floor((source.height - target.height) / 2),
    ...sidesOf(target),
  })
}

const sidesOf = ({ width, height }: Size): Size => ({ width, height })

const isSameSize = (a: Size, b: Size): boolean => a.width === b.width && a.height === b.height

const unfit = (cause?: unknown): GatewayError =>
  upstreamFailed(
    'The model could not make this image in the size and format asked for. Nothing was charged.',
    {
      code: 'upstream_error',
      cause,
    },
  )
