// The interface of a dialect, which selects and reads requests and writes answers; and parts that several dialects share.
import type { Totals } from './answer.ts'
import type { Ask, Reply } from './ask.ts'
import type { Behaviour } from './behaviour.ts'
import type { JsonObject } from './json.ts'

/** A request that has been read. */
export interface Call {
  readonly model: string
  /** The framing of a stream; undefined for a whole answer. */
  readonly framing: Framing | undefined
  readonly ask: Ask
  /** The request's body, for fields that only the writing of the answer needs. */
  readonly body: JsonObject
}

/** A request without output tokens: counting, embedding. */
export interface Query {
  readonly model: string
  respond(usage_report: UsageReport): QueryAnswer
}

/** The answer to a query: a body, or the payloads of a stream. */
interface QueryAnswer {
  readonly body: string | Uint8Array
  /** JSON if absent. */
  readonly content_type?: string
  readonly stream?: { readonly payloads: readonly string[]; readonly framing: Framing }
  readonly totals: Totals
}

/** The texts around the payloads of a stream. */
export interface Framing {
  readonly content_type: string
  readonly before_first: string
  readonly before: string
  readonly after: string
  readonly after_last: string
  /** The end of a stream whose last record is an error. */
  readonly after_error: string
}

/** Server-sent events of nothing but data, without a last record. */
export const EVENT_STREAM: Framing = {
  content_type: 'text/event-stream; charset=utf-8',
  before_first: 'data: ',
  before: 'data: ',
  after: '\n\n',
  after_last: '',
  after_error: '',
}

/** A provider's refusal. */
export interface Refusal {
  readonly status: number
  readonly message: string
  /** The field at fault, for status 400. */
  readonly field?: string
  /** The provider's own code, if the status does not imply it. */
  readonly code?: string | null
  /** The places at fault, for providers that list them. */
  readonly details?: readonly JsonObject[]
  /** The key is at fault, whatever the status. */
  readonly bad_key?: boolean
}

/** @param code the provider's own, if it has one beside the status */
export const refusal = (field: string, message: string, code?: string): Refusal => ({
  status: 400,
  field,
  message,
  ...(code === undefined ? {} : { code }),
})

/** A provider's refusals that a model's name or a key triggers. */
interface Refusals {
  /** The key is not valid. */
  readonly bad_key: Refusal
  /** The provider is overloaded; also sent as an error inside a stream. */
  readonly overloaded: Refusal
  /** The field that `fail-400` names. */
  readonly field: string
  missing(model: string): Refusal
}

/** The way to report usage: correctly, not at all, or as zeros. */
export type UsageReport = 'actual' | 'absent' | 'zero'

export interface Dialect {
  readonly name: string
  /** Whether the path is this dialect's. */
  serves(path: string): boolean
  /** The caller's key; empty without one. */
  keyOf(request: Request, url: URL): string
  /** @returns a Refusal for a request that the provider refuses */
  read(url: URL, body: JsonObject, headers: Headers): Call | Query | Refusal
  /** The body of a whole answer. */
  whole(call: Call, reply: Reply, usage_report: UsageReport): string
  /** The payloads of a stream, without framing. */
  events(call: Call, reply: Reply, usage_report: UsageReport, behaviour: Behaviour): string[]
  refuse(refusal: Refusal): { headers: Record<string, string>; body: string }
  readonly refusals: Refusals
  /** The payload of an error inside a stream. */
  streamError(refusal: Refusal): string
}

export const isRefusal = (read: Call | Query | Refusal): read is Refusal => 'status' in read
export const isQuery = (read: Call | Query): read is Query => 'respond' in read
