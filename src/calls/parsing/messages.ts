// The messages between the event loop and the thread that parses large bodies.
import type { ErrorDetail, ErrorKind } from '../../domain/errors.ts'
import type { DataUriImage } from '../../media/data-uri.ts'
import type { AcceptedImages } from '../../protocols/image-types.ts'
import type { Medium } from '../../protocols/media-places.ts'
import type { JsonObject } from '../../protocols/wire/json.ts'
import type { EnvelopeRules } from '../../protocols/wire/json-splice.ts'
import type { ExtrasRules } from '../kinds/text/request-extras.ts'
import type { Writing } from '../kinds/text/writing.ts'

/** The questions about a body: the methods of `TextBody`, and four others (`open`, `unwrap`, `imageFields`, `images`). */
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
  | { ask: 'imagesBeyond'; protocol: string; taken: AcceptedImages }
  | { ask: 'imageFields'; protocol: string; taken: AcceptedImages; images: readonly Medium[] }
  | { ask: 'images'; fields: readonly string[]; max_images: number; max_total_bytes: number }

/** The answer to `open`. */
export interface Opened {
  fields: JsonObject
  has_images: boolean
  sha256: string
}

/** The answer to `images`: the whole body, with its inline images separated. */
export interface OpenedImages {
  /** A name replaces each image's data URI. */
  json: JsonObject
  /** By those names: the decoded images, or their errors. */
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
  /** The same for all questions about one body, which is parsed once for successive ones. */
  body_id: number
  /** The caller's protocol, which defines the names in a text request; undefined for images, which never pass through. */
  protocol?: string
  bytes: Uint8Array
  question: Question
}

export interface FromThread {
  /** The body's bytes, returned; empty after its last question. */
  bytes: Uint8Array
  value?: unknown
  error?: WrittenError
}

/** The value that stands for the body's own bytes. */
export const SAME_BYTES = 'same bytes'
