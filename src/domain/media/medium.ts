// The media of a request as far as their price depends on them: pages, seconds and sizes, counted in their own bytes.
import { audioDurationMs, isVideo } from '../audio/duration.ts'
import { IMAGE_HEAD_BYTES, type ImageSize, imageSizeOf } from './image-header.ts'
import { measurePdf, type PdfSize } from './pdf.ts'
import type { MediaWork } from './work.ts'

interface ImageMedium {
  readonly kind: 'image'
  /** Undefined where it is not told: the image counts as the largest. */
  readonly size?: ImageSize | undefined
  /** The detail that the caller asked for. */
  readonly detail?: string | undefined
}

export type Medium =
  | ImageMedium
  | ({ readonly kind: 'document' } & PdfSize)
  | { readonly kind: 'audio'; readonly seconds: number }
  | { readonly kind: 'video'; readonly seconds: number; readonly frames_per_s: number }
  /** The gateway does not see it, or cannot count it. */
  | { readonly kind: 'uncounted'; readonly bytes?: number }

export const UNCOUNTED: Medium = { kind: 'uncounted' }

/** Google: one frame a second, unless a request says otherwise. https://ai.google.dev/gemini-api/docs/video-understanding */
export const FRAMES_PER_S = 1

/** The part before base64 in a data URI. */
const HEAD = /^data:[^,]{0,250},/i
const MAX_HEAD_CHARS = 256
const withoutHead = (data: string): string =>
  data.slice(HEAD.exec(data.slice(0, MAX_HEAD_CHARS))?.[0].length ?? 0)

/** Base64 of PNG, JPEG, GIF and WebP: never read as anything else. */
const IMAGE = /^(?:iVBORw0KGgo|[/_]9j[/_]|R0lGOD|UklGR.{6}XRUJQ)/
export const isImageData = (base64: string): boolean => IMAGE.test(base64.slice(0, 16))

/** Decodes a text that has only one reading. @returns undefined where readers differ: in what follows the end, and in images in another's place */
function bytesOf(data: string): Buffer | undefined {
  const base64 = withoutHead(data)
  const end = base64.indexOf('=')
  return isImageData(base64) || (end >= 0 && !/^={1,2}\s*$/.test(base64.slice(end)))
    ? undefined
    : Buffer.from(base64, 'base64')
}

/** Readers look for the begin of a PDF so far. */
const MAX_PDF_BEGIN_BYTES = 1_024
const MAX_PDF_BEGIN_CHARS = Math.ceil((MAX_PDF_BEGIN_BYTES * 4) / 3)
const PDF_BEGIN = Buffer.from('%PDF-')

/** Whether base64 or a data URI of it is a PDF, whose few bytes may unfold to many. */
export const isPdfData = (data: string): boolean =>
  Buffer.from(
    withoutHead(data.slice(0, MAX_HEAD_CHARS + MAX_PDF_BEGIN_CHARS)).slice(0, MAX_PDF_BEGIN_CHARS),
    'base64',
  ).includes(PDF_BEGIN)

/** @param data base64, or a data URI of it @param work what may be done for all documents of its request */
export function pdfMedium(data: string, work: MediaWork): Medium {
  const bytes = bytesOf(data)
  if (!bytes || !isPdfData(data)) return uncounted(bytes)
  const size = measurePdf(bytes, work)
  return size.pages === undefined ? uncounted(bytes) : { kind: 'document', ...size }
}

const uncounted = (bytes: Buffer | undefined): Medium =>
  bytes ? { kind: 'uncounted', bytes: bytes.length } : UNCOUNTED

/** @param data base64, or a data URI of it */
export function imageMedium(data: string, detail?: string): ImageMedium {
  const head = withoutHead(data).slice(0, Math.ceil((IMAGE_HEAD_BYTES * 4) / 3))
  return { kind: 'image', size: imageSizeOf(Buffer.from(head, 'base64')), detail }
}

/** @param data base64, or a data URI of it */
export function audioMedium(data: string): Medium {
  const bytes = bytesOf(data)
  const seconds = bytes && secondsOf(bytes)
  return seconds === undefined ? uncounted(bytes) : { kind: 'audio', seconds }
}

/** @param data base64, or a data URI of it */
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
 * A file of a type that its caller names: a document's bytes tell what it is.
 *
 * @param data base64, or a data URI of it
 * @param work what may be done for all documents of its request
 * @returns undefined for what is read as text as it stands
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
