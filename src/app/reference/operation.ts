// What is written of the operations whose routes read their own bytes, so that no schema of the route says what they take; and
// the groups in which all operations stand.
import type { HeaderName } from './headers.ts'
import type { Schema } from './schema.ts'

/** Values by what each shows. Requests work with the simulated models of a first start: a test sends each of them. */
export type Examples = Readonly<Record<string, unknown>>

/** Schemas and examples by media type. */
export type Content = Readonly<Record<string, { readonly schema: Schema; readonly examples?: Examples }>>

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
  readonly example?: unknown
}

/** Of one status. */
export interface Answer {
  readonly description: string
  /** Besides the request's id. */
  readonly headers?: readonly HeaderName[] | undefined
  readonly content: Content
}

/** The groups, in the order of the document. Routes name theirs in their `detail`. */
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
  /** Its method and its path, as the converter names them. */
  readonly route: string
  /** Its path, where that is not the route's own. */
  readonly path?: string
  readonly id: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  /** The body. Where it is absent, that of the route's `detail`. */
  readonly body?: Content
  /** Examples for a body that the route's `detail` describes, by its type. */
  readonly examples?: Readonly<Record<string, Examples>>
  /** What is answered, its headers besides the request's id, and its bodies. */
  readonly answer: string
  readonly headers?: readonly HeaderName[]
  readonly content: Content
  readonly is_free?: true
  /** 501 unless the operator has switched it on. */
  readonly is_extra?: true
}

export type Grouped = Written & { readonly tag: Tag }

/** Of requests that cost something. */
export const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Any name for this request: sent again with it, the request is answered from what is kept, and not charged again. Kept for 24 hours.',
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
