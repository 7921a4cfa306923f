// Conversion of a provider's image to the requested size, aspect ratio, format and background.
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

/** The requested conversion; an undefined property is not changed. */
export interface ConvertOptions {
  readonly size?: Size | undefined
  /** Ignored if `size` is set. */
  readonly aspect_ratio?: AspectRatio | undefined
  readonly output_format?: OutputFormat | undefined
  readonly background?: Background | undefined
  /** Quality of a JPEG or WebP, 0 to 100; by default visually lossless. */
  readonly output_compression?: number | undefined
  /** Whether the provider has already applied the requested compression, so that the image is not re-encoded for it. */
  readonly is_compressed?: boolean | undefined
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
  /** Whether it has EXIF, XMP, IPTC or comments, or more than one frame, which are all removed. */
  readonly has_extras: boolean
}

interface Target extends Size {
  readonly format: OutputFormat
  readonly has_alpha: boolean
}

const ENCODE: Readonly<Record<OutputFormat, (image: Sharp, quality: number) => Sharp>> = {
  png: (image) => image.png({ compressionLevel: 6 }),
  jpeg: (image, quality) => image.jpeg({ quality, chromaSubsampling: '4:4:4' }),
  webp: (image, quality) => image.webp({ quality }),
}
const DEFAULT_QUALITY = 92
/** The minimum of both encoders. */
const MIN_QUALITY = 1

const WHITE = '#ffffff'

/**
 * Converts an image to exactly the requested size, scaled to cover it and cropped at the centre, or to the largest crop
 * of exactly the aspect ratio; to the format; and with an alpha channel, or flattened on white. The result is a still
 * image without metadata. An image that already meets the request is returned unchanged, byte for byte.
 * @param bytes one image of the four formats, as a provider returned it
 * @throws GatewayError invalid_request for a transparent JPEG; upstream_failed with code
 * `upstream_error` if the image cannot be decoded or the size is impossible
 */
export async function convert(bytes: Uint8Array, options: ConvertOptions): Promise<ConvertedImage> {
  assertFormatFitsBackground(options)
  if (options.size && options.size.width * options.size.height > MAX_PIXELS) throw cannotMake()
  const mime = sniffImage(bytes)
  if (!mime) throw cannotMake()
  return withSharp(async (sharp) => {
    const source = sourceOf(formatOf(mime), await sharp(bytes, FIRST_FRAME).metadata())
    const target = targetOf(source, options)
    const output =
      meets(source, target) && !wantsCompression(target, options)
        ? await decodable(sharp, bytes)
        : await encode(sharp, bytes, source, target, options)
    return { bytes: output, mime: mimeOf(target.format), width: target.width, height: target.height }
  }).catch((error: unknown) => {
    throw error instanceof GatewayError ? error : cannotMake(error)
  })
}

/** JPEG has no alpha channel. @throws GatewayError invalid_request, param `background` */
export function assertFormatFitsBackground({ output_format, background }: ConvertOptions): void {
  if (output_format === 'jpeg' && background === 'transparent')
    throw invalidRequest('A JPEG cannot be transparent. Ask for png or webp, or for another background.', {
      code: 'invalid_request',
      param: 'background',
    })
}

/** PNG is lossless, which corresponds to 100. @throws GatewayError invalid_request, param `output_compression` */
export function assertFormatIsCompressed({ output_format, output_compression = 100 }: ConvertOptions): void {
  const has_compression = output_format === 'jpeg' || output_format === 'webp'
  if (output_compression < 100 && !has_compression)
    throw invalidRequest(
      'output_compression: below 100 it needs output_format jpeg or webp. Name one of them, or leave it out.',
      { param: 'output_compression' },
    )
}

function sourceOf(format: ImageFormat, header: Metadata): Source {
  const { exif, xmp, iptc, comments } = header
  return {
    ...header.autoOrient,
    format,
    has_alpha: header.hasAlpha,
    has_extras: Boolean(exif ?? xmp ?? iptc ?? comments) || (header.pages ?? 1) > 1,
  }
}

function targetOf(
  source: Source,
  { size, aspect_ratio, output_format, background = 'auto' }: ConvertOptions,
): Target {
  const format = output_format ?? ownFormat(source.format, background)
  const opaque = format === 'jpeg' || background === 'opaque'
  return {
    ...(size ?? (aspect_ratio ? largestWithin(source, aspect_ratio) : sidesOf(source))),
    format,
    has_alpha: !opaque && (source.has_alpha || background === 'transparent'),
  }
}

/** Returns the default format: the image's own, if it is an output format and supports the background. */
function ownFormat(format: ImageFormat, background: Background): OutputFormat {
  const serves = format !== 'gif' && !(format === 'jpeg' && background === 'transparent')
  return serves ? format : 'png'
}

/** Whether an image already meets the request. */
const meets = (source: Source, target: Target): boolean =>
  !source.has_extras &&
  source.format === target.format &&
  source.has_alpha === target.has_alpha &&
  isSameSize(source, target)

/** Whether it must be compressed; a PNG never is. */
const wantsCompression = (
  { format }: Target,
  { output_compression, is_compressed }: ConvertOptions,
): boolean => format !== 'png' && output_compression !== undefined && is_compressed !== true

/** Returns the unchanged bytes after decoding them, since an image that cannot be decoded must not be charged. */
async function decodable(sharp: SharpModule, bytes: Uint8Array): Promise<Uint8Array> {
  await decodeWhole(sharp, bytes, FIRST_FRAME)
  return bytes
}

async function encode(
  sharp: SharpModule,
  bytes: Uint8Array,
  source: Source,
  target: Target,
  options: ConvertOptions,
): Promise<Uint8Array> {
  const upright = openImage(sharp, bytes, FIRST_FRAME).autoOrient()
  const shaped = reshape(upright, source, target, options)
  const grounded = target.has_alpha
    ? shaped.ensureAlpha()
    : shaped.flatten({ background: WHITE }).removeAlpha()
  const quality = Math.max(MIN_QUALITY, options.output_compression ?? DEFAULT_QUALITY)
  return ENCODE[target.format](grounded, quality).toBuffer()
}

/** Resizes or crops. An aspect ratio is achieved by cropping only if possible, which keeps the pixels unchanged. */
function reshape(image: Sharp, source: Source, target: Target, { size }: ConvertOptions): Sharp {
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

const cannotMake = (cause?: unknown): GatewayError =>
  upstreamFailed(
    'The model could not make this image in the requested size and format. Nothing was charged.',
    {
      code: 'upstream_error',
      cause,
    },
  )
