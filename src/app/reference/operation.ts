// A surface's part of the API reference: operations whose routes read their own bytes, and so have no schemas to
// generate it from.
import { count, type Schema, text } from './schema.ts'

/** Examples by title. Requests work with the simulated models of a first start: a test sends each of them. */
export type Examples = Readonly<Record<string, unknown>>

export type Content = Readonly<Record<string, { readonly schema: Schema; readonly examples?: Examples }>>

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
  /** The headers besides the request ID. */
  readonly headers?: readonly HeaderName[] | undefined
  readonly content: Content
}

/** The groups, in the document's order. A route with schemas names its group in its `detail`. */
export const TAGS = {
  'Gemini API':
    "Google's `generateContent`, which is the native API here. Every path below `/v1beta/models/` is also served below `/v1/models/`, where Google's SDKs ask since their version 3.",
  'Anthropic API': "Anthropic's messages. Each request names its version in the header `anthropic-version`.",
  'OpenAI API':
    "Responses, chat completions, completions and embeddings of OpenAI's API, for models of every provider.",
  Images:
    'Images from text or other images, and earlier images. Image models can also be called in conversations, with chat completions and `generateContent`.',
  Audio: "Speech, transcriptions and translations, passed on to the model's provider.",
  'Moderations and rerank': "Judging and sorting of texts, passed on to the model's provider.",
  Files: 'Images that were uploaded, for edits and compositions.',
  Models: 'The models that a key may call.',
  'Public pages':
    'Prices and status as anybody may read them, where the operator has turned the public pages on. No key is needed.',
  Account: 'Money, usage and limits of the account that a key belongs to. All of it is free.',
  Health: 'Whether the gateway answers, and whether it takes calls. No key is needed.',
} as const

export type Tag = keyof typeof TAGS

/** Response headers. Every response has the first one. */
export const HEADERS = {
  'x-request-id': text('The id of the request, as in its usage record.'),
  'request-id': text("The same under Anthropic's name."),
  'retry-after': count('Seconds to wait before the next try, where a time is known.'),
  'x-ratelimit-limit-requests': count(
    'Image calls that the account may make in 60 seconds. On image calls only.',
  ),
  'x-ratelimit-remaining-requests': count('Image calls left of them.'),
  'x-ratelimit-reset-requests': text('When the next one is free, such as `12s`.'),
  'x-ratelimit-limit-usd': text(
    'The tightest spend limit by period that the call counts against, of the plan that covers it, or of the key, its person and the account. On paid calls with such a limit only.',
  ),
  'x-ratelimit-remaining-usd': text('The remaining limit, less the holds of running calls.'),
  'x-ratelimit-reset-usd': text('When it resets, such as `3600s`.'),
  'x-tollgate-spend-limit': text(
    'Which limit that is: `plan 5h`, `account day`, `person week`, `key month`.',
  ),
  'x-tollgate-upstream-model': text("The provider's own name of the model."),
  'x-tollgate-output-limit': count('The output limit sent to the provider, if lower than requested.'),
  'x-tollgate-dropped': text('Fields left out because the model does not support them.'),
  'idempotent-replayed': text(
    '`true` where this is the kept answer to an earlier request with the same `Idempotency-Key`.',
  ),
} as const satisfies Record<string, Schema>

export type HeaderName = keyof typeof HEADERS

export const PAID_HEADERS: readonly HeaderName[] = [
  'x-tollgate-upstream-model',
  'idempotent-replayed',
  'x-ratelimit-limit-usd',
  'x-ratelimit-remaining-usd',
  'x-ratelimit-reset-usd',
  'x-tollgate-spend-limit',
]
export const TEXT_HEADERS: readonly HeaderName[] = [
  ...PAID_HEADERS,
  'x-tollgate-output-limit',
  'x-tollgate-dropped',
]
export const RATE_HEADERS: readonly HeaderName[] = [
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
]

/** A plugin's addition to the document, besides its routes' `detail` and schemas. */
export interface Reference {
  readonly tag: Tag
  readonly operations: readonly WrittenOperation[]
  /** Shared schemas by name, for `ref`. */
  readonly schemas?: Readonly<Record<string, Schema>>
  /** An example of each shared schema of a response. */
  readonly answers?: Readonly<Record<string, unknown>>
}

/** An operation whose route reads its own bytes. */
export interface WrittenOperation {
  /** Its method and path, in the converter's form: `POST /v1/models/{id}`. */
  readonly route: string
  /** Its path, if it differs from the route's: a route with a wildcard may be several operations. */
  readonly path?: string
  readonly id: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  /** The request body, with schemas of TypeBox or of the document. */
  readonly body: Content
  /** The description of the response, its headers besides the request ID, and its bodies. */
  readonly answer: string
  readonly headers?: readonly HeaderName[]
  readonly content: Content
  readonly is_free?: true
  /** 501 unless the operator enables it. */
  readonly is_extra?: true
}

/** The parameter of every paid request. */
export const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Any unique text. The same request with the same key gets the stored answer and is not charged again, for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const content =
  (type: string) =>
  (schema: Schema, examples?: Examples): Content => ({ [type]: examples ? { schema, examples } : { schema } })

export const json = content('application/json')
export const form = content('multipart/form-data')

/** Server-sent events, each of whose `data` is JSON of this schema. */
export const events = (data: Schema): Content => ({
  'text/event-stream': {
    schema: {
      type: 'string',
      description: 'Server-sent events; the `data` of each is JSON.',
      contentMediaType: 'text/event-stream',
      contentSchema: data,
    },
  },
})
