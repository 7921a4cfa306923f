// The size of an image: the request fields `size` and `aspect_ratio`, and their arithmetic. Pure.
import { invalidRequest } from './errors.ts'

/** Whole pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** A reduced fraction: 1920:1080 is { width: 16, height: 9 }. */
export interface AspectRatio {
  readonly width: number
  readonly height: number
}

/** spec.md, "Limits", row "size string". */
const MAX_SIZE_CHARS = 16
const SIZE = /^([1-9]\d*)x([1-9]\d*)$/
const ASPECT_RATIO = /^([1-9]\d{0,3}):([1-9]\d{0,3})$/

/**
 * Parses `auto` or `WIDTHxHEIGHT`: digits and a lower-case x, at most 16 characters. It does not check whether a
 * model supports that size.
 *
 * @throws GatewayError invalid_request, param `size`
 */
export function parseSize(text: string): 'auto' | Size {
  if (text === 'auto') return 'auto'
  const [, width, height] = (text.length <= MAX_SIZE_CHARS && SIZE.exec(text)) || []
  if (width && height) return { width: Number(width), height: Number(height) }
  throw invalidRequest('size: must be "auto" or WIDTHxHEIGHT, such as 1024x1024.', {
    code: 'invalid_request',
    param: 'size',
  })
}

/**
 * Parses `WIDTH:HEIGHT`, such as `16:9`, each of at most four digits.
 *
 * @throws GatewayError invalid_request, param `aspect_ratio`
 */
export function parseAspectRatio(text: string): AspectRatio {
  const [, width, height] = ASPECT_RATIO.exec(text) ?? []
  if (width && height) return inLowestTerms(Number(width), Number(height))
  throw invalidRequest('aspect_ratio: must be WIDTH:HEIGHT, such as 16:9.', {
    code: 'invalid_request',
    param: 'aspect_ratio',
  })
}

/** Whether a size has exactly this ratio. */
export const hasAspectRatio = (size: Size, ratio: AspectRatio): boolean =>
  size.width * ratio.height === size.height * ratio.width

/**
 * Returns the largest size within another that has exactly this ratio, or the ratio's smallest size if not even
 * that fits.
 */
export function largestWithin(size: Size, ratio: AspectRatio): Size {
  const times = Math.min(Math.floor(size.width / ratio.width), Math.floor(size.height / ratio.height))
  const factor = Math.max(times, 1)
  return { width: ratio.width * factor, height: ratio.height * factor }
}

function inLowestTerms(width: number, height: number): AspectRatio {
  const divisor = greatestCommonDivisor(width, height)
  return { width: width / divisor, height: height / divisor }
}

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b)
