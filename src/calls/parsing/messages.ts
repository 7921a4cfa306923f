// The messages between the event loop and the thread that parses large bodies.
import type { ErrorDetail, ErrorKind } from '../../domain/errors.ts'
import type { DataUriImage } from '../../media/data-uri.ts'
import type { TakenImages } from '../../protocols/image-types.ts'
import type { Medium } from '../../protocols/media-places.ts'
import type { JsonObject } from '../../protocols/wire/json.ts'
import type { EnvelopeRules } from '../../protocols/wire/json-splice.ts'
import type { ExtrasRules } from '../kinds/text/request-extras.ts'
import type { Writing } from '../kinds/text/writing.ts'

/** The queries on a body; but for the first, as in `TextBody`. */
export type Question =
  | { ask: 'open' }
  | { ask: 'facts'; protocol: string; over: JsonObject | undefined }
  | { ask: 'leastTokens'; protocol: string }
  | { ask: 'extras'; protocol: string; rules: ExtrasRules }
  | { ask: 'session' }
  | { ask: 'explainsEmpty' }
  | { ask: 'rejectRemembered'; protocol: string }
  | { ask: 'assertCarries'; writing: Writing }
  | { ask: 'conversation'; protocol: string; streams: boolean }
  | { ask: 'write'; writing: Writing }
  | { ask: 'replace'; fields: JsonObject }
  | { ask: 'read'; names: readonly string[] }
  | { ask: 'unwrap'; rules: EnvelopeRules }
  | { ask: 'imagesBeyond'; protocol: string; taken: TakenImages }
  | { ask: 'imageFields'; protocol: string; taken: TakenImages; images: readonly Medium[] }
  | { ask: 'images'; fields: readonly string[]; max_images: number; max_total_bytes: number }

/** The answer to `open`. */
export interface Opened {
  fields: JsonObject
  has_images: boolean
  sha256: string
}

/** The answer to `images`: the whole body, but with its inline images apart. */
export interface OpenedImages {
  /** In place of an image's data URI stands a name for it. */
  json: JsonObject
  /** By those names: the images, as far as they were decoded, or their errors. */
  images: Map<string, InlineImage>
  sha256: string
}

export type InlineImage = { image: DataUriImage; sha256: string } | { error: WrittenError }

export interface WrittenError {
  kind: ErrorKind
  message: string
  detail: ErrorDetail
}

export interface ToThread {
  /** The same for all questions about one body: it is parsed once for those that follow each other. */
  body_id: number
  /** The caller's, whose names decide a text request; undefined for images, which are never passed on as they came. */
  protocol?: string
  bytes: Uint8Array
  question: Question
}

export interface FromThread {
  /** The body's bytes, handed back; empty after its last query. */
  bytes: Uint8Array
  value?: unknown
  error?: WrittenError
}

/** The value that says: the body's own bytes. */
export const SAME_BYTES = 'same bytes'
