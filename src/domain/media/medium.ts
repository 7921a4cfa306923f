// The price-relevant facts of a request's media: pages, seconds and sizes, read from their bytes.
import { audioDurationMs, isVideo } from '../audio/duration.ts'
import { IMAGE_HEAD_BYTES, type ImageSize, imageSizeOf } from './image-header.ts'
import { measurePdf, type PdfSize } from './pdf.ts'
import type { MediaWork } from './work.ts'

interface ImageMedium {
  readonly kind: 'image'
  /** If undefined, the image counts as the largest. */
  readonly size?: ImageSize | undefined
  /** The requested detail level. */
  readonly detail?: string | undefined
}

export type Medium =
  | ImageMedium
  | ({ readonly kind: 'document' } & PdfSize)
  | { readonly kind: 'audio'; readonly seconds: number }
  | { readonly kind: 'video'; readonly seconds: number; readonly frames_per_s: number }
  /** Its bytes are not available to the gateway, or cannot be measured. */
  | { readonly kind: 'uncounted'; readonly bytes?: number }

export const UNCOUNTED: Medium = { kind: 'uncounted' }

/** Google's default is one frame per second. https://ai.google.dev/gemini-api/docs/video-understanding */
export const FRAMES_PER_S = 1

/** The prefix of a data URI, before its base64. */
const HEAD = /^data:[^,]{0,250},/i
const MAX_HEAD_CHARS = 256
const withoutHead = (data: string): string =>
  data.slice(HEAD.exec(data.slice(0, MAX_HEAD_CHARS))?.[0].length ?? 0)

/** The beginning of PNG, JPEG, GIF and WebP in base64. */
const IMAGE = /^(?:iVBORw0KGgo|[/_]9j[/_]|R0lGOD|UklGR.{6}XRUJQ)/
export const isImageData = (base64: string): boolean => IMAGE.test(base64.slice(0, 16))

/** Decodes base64. @returns undefined if readers may differ: there is text after the padding, or an image in the place of another medium */
function bytesOf(data: string): Buffer | undefined {
  const base64 = withoutHead(data)
  const end = base64.indexOf('=')
  return isImageData(base64) || (end >= 0 && !/^={1,2}\s*$/.test(base64.slice(end)))
    ? undefined
    : Buffer.from(base64, 'base64')
}

/** Readers search the beginning of a PDF within these bytes. */
const MAX_PDF_BEGIN_BYTES = 1_024
const MAX_PDF_BEGIN_CHARS = Math.ceil((MAX_PDF_BEGIN_BYTES * 4) / 3)
const PDF_BEGIN = Buffer.from('%PDF-')

/** Whether base64, or a data URI, is a PDF, whose bytes may expand to many more. */
export const isPdfData = (data: string): boolean =>
  Buffer.from(
    withoutHead(data.slice(0, MAX_HEAD_CHARS + MAX_PDF_BEGIN_CHARS)).slice(0, MAX_PDF_BEGIN_CHARS),
    'base64',
  ).includes(PDF_BEGIN)

/** @param data base64, or a data URI @param work the budget of all documents of the request */
export function pdfMedium(data: string, work: MediaWork): Medium {
  const bytes = bytesOf(data)
  if (!bytes || !isPdfData(data)) return uncounted(bytes)
  const size = measurePdf(bytes, work)
  return size.pages === undefined ? uncounted(bytes) : { kind: 'document', ...size }
}

const uncounted = (bytes: Buffer | undefined): Medium =>
  bytes ? { kind: 'uncounted', bytes: bytes.length } : UNCOUNTED

/** @param data base64, or a data URI */
export function imageMedium(data: string, detail?: string): ImageMedium {
  const head = withoutHead(data).slice(0, Math.ceil((IMAGE_HEAD_BYTES * 4) / 3))
  return { kind: 'image', size: imageSizeOf(Buffer.from(head, 'base64')), detail }
}

/** @param data base64, or a data URI */
export function audioMedium(data: string): Medium {
  const bytes = bytesOf(data)
  const seconds = bytes && secondsOf(bytes)
  return seconds === undefined ? uncounted(bytes) : { kind: 'audio', seconds }
}

/** @param data base64, or a data URI */
export function videoMedium(data: string, frames_per_s: number): Medium {
  const bytes = bytesOf(data)
  const seconds = bytes && isVideo(bytes) ? secondsOf(bytes) : undefined
  return seconds === undefined ? uncounted(bytes) : { kind: 'video', seconds, frames_per_s }
}

function secondsOf(bytes: Buffer): number | undefined {
  const ms = audioDurationMs({ head: bytes, tail: bytes, total_bytes: bytes.length, is_strict: true })
  return ms === undefined ? undefined : ms / 1_000
}

/**
 * Measures a file whose media type the caller states. A PDF is recognised by its bytes.
 *
 * @param data base64, or a data URI
 * @param work the budget of all documents of the request
 * @returns undefined for a file that models read as plain text
 */
export function fileMedium(data: string, mime: string, work: MediaWork): Medium | undefined {
  const bytes = bytesOf(data)
  if (!bytes) return UNCOUNTED
  if (mime === 'application/pdf' || isPdfData(data)) return pdfMedium(data, work)
  const is_text =
    /^text\/|^application\/(?:json|xml|javascript|x-yaml|yaml)$/.test(mime) &&
    !bytes.subarray(0, MAX_PDF_BEGIN_BYTES).includes(0)
  return is_text ? undefined : uncounted(bytes)
}
