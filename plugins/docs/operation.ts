// What is written of one operation besides what its route's schemas say; and the parts of OpenAPI that this takes.
import type { ErrorKind } from '../../src/domain/errors.ts'
import type { DialectName } from './dialects.ts'
import type { HeaderName } from './headers.ts'
import type { Schema } from './schema.ts'

/** An example that works with the simulated models of a first start: a test sends each, and reads what comes. */
export interface Example {
  readonly summary: string
  readonly value: unknown
}

export type Examples = Readonly<Record<string, Example>>

export interface MediaType {
  readonly schema: Schema
  readonly examples?: Examples
}

export type Content = Readonly<Record<string, MediaType>>

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
  readonly example?: unknown
}

export interface Answer {
  readonly description: string
  /** Besides the request's id. */
  readonly headers?: readonly HeaderName[]
  readonly content?: Content
}

export const TAGS = {
  'Gemini API':
    "Google's `generateContent`, which is the native API here. Every path below `/v1beta/models/` is also served below `/v1/models/`, where Google's SDKs ask since their version 3.",
  'Anthropic API': "Anthropic's messages. Each request names its version in the header `anthropic-version`.",
  'OpenAI API':
    "Responses, chat completions, completions and embeddings of OpenAI's API, for models of every provider.",
  Images:
    'Images from words, from other images, and those that were made. Image models can also be called in conversations, with chat completions and `generateContent`.',
  Audio: "Speech, transcriptions and translations, passed on to the model's provider.",
  'Moderations and rerank': "Judging and sorting of texts, passed on to the model's provider.",
  Files: 'Images that were uploaded, for edits and compositions.',
  Models: 'The models that a key may call.',
  Account: 'Money, usage and limits of the account that a key belongs to. All of it is free.',
  Health: 'Whether the gateway answers, and whether it takes calls. No key is needed.',
} as const

export type Tag = keyof typeof TAGS

export interface Written {
  /** Its path, where that is not the route's own. */
  readonly path?: string
  readonly id: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  /** Where its callers put their keys, and how its errors look. */
  readonly dialect: DialectName
  /** Those that the route's schemas do not have. */
  readonly parameters?: readonly Parameter[]
  /** What is said of the parameters that they do have. */
  readonly about?: Readonly<Record<string, Pick<Parameter, 'description' | 'example'>>>
  /** The body. Where it is absent, that of the route's `detail`. */
  readonly body?: Content
  /** Examples for a body that the route's `detail` describes, by its type. */
  readonly examples?: Readonly<Record<string, Examples>>
  /** By status: in place of what the route's schemas say, or beside it. */
  readonly answers: Readonly<Record<string, Answer>>
  /** How it fails. Where it is absent: by every kind of error whose status the route declares. */
  readonly fails?: readonly ErrorKind[]
}

/** How a paid call can fail, whatever its surface. */
export const PAID_FAILURES: readonly ErrorKind[] = [
  'invalid_request',
  'unauthenticated',
  'insufficient_balance',
  'permission_denied',
  'not_found',
  'conflict',
  'payload_too_large',
  'unprocessable',
  'rate_limited',
  'internal',
  'upstream_failed',
  'upstream_overloaded',
  'upstream_timeout',
  'overloaded',
]

/** How a call can fail that costs nothing, but is put to a provider. */
export const COUNTED_FAILURES: readonly ErrorKind[] = PAID_FAILURES.filter(
  (kind) => !['insufficient_balance', 'conflict', 'unprocessable'].includes(kind),
)

/** Server-sent events, each of whose `data` is JSON of this schema. */
export const eventsOf = (data: Schema): MediaType => ({
  schema: {
    type: 'string',
    description: 'Server-sent events; the `data` of each is JSON.',
    contentMediaType: 'text/event-stream',
    contentSchema: data,
  },
})

/** Of requests that cost something. */
export const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Any name for this request: sent again with it, the request is answered from what is kept, and not charged again. Kept for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}
