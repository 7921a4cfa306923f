// Owns what a protocol must tell the simulator: which requests are its own, how they are read, and how answers are written.
import type { Totals } from './answer.ts'
import type { Ask, Reply } from './ask.ts'
import type { Behaviour } from './behaviour.ts'
import type { JsonObject } from './json.ts'

/** A request, understood. */
export interface Call {
  readonly model: string
  /** How the answer goes out; undefined where it goes out whole. */
  readonly framing: Framing | undefined
  readonly ask: Ask
  /** The request as it came, for what of it only the writing of the answer depends on. */
  readonly body: JsonObject
}

/** A request that is answered without writing anything: counting, embedding. */
export interface Query {
  readonly model: string
  respond(telling: Telling): { body: string; totals: Totals }
}

/** What goes around the payloads of a stream. */
export interface Framing {
  readonly content_type: string
  readonly before_first: string
  readonly before: string
  readonly after: string
  readonly after_last: string
  /** What ends a stream whose last record told of an error. */
  readonly after_error: string
}

/** A refusal of the vendor. */
export interface Refusal {
  readonly status: number
  readonly message: string
  /** The field at fault, for status 400. */
  readonly field?: string
  /** The key is at fault, whatever the status. */
  readonly bad_key?: boolean
}

/** What the vendor says where a model's name or a key asks for it. */
export interface Refusals {
  /** The key is not one. */
  readonly bad_key: Refusal
  /** Too much is asked of the vendor, as a stream says it. */
  readonly overloaded: Refusal
  /** The field that a request is refused for. */
  readonly field: string
  missing(model: string): Refusal
}

/** How usage is told: as it was, not at all, or as zeros. */
export type Telling = 'true' | 'absent' | 'zero'

export interface Dialect {
  readonly name: string
  /** The path is this vendor's. */
  serves(path: string): boolean
  /** The caller's key; empty where there is none. */
  keyOf(request: Request, url: URL): string
  /** @returns a Refusal for what the vendor refuses */
  read(url: URL, body: JsonObject, headers: Headers): Call | Query | Refusal
  /** The body of a whole answer. */
  whole(call: Call, reply: Reply, telling: Telling): string
  /** The payloads of a stream, not framed. */
  events(call: Call, reply: Reply, telling: Telling, behaviour: Behaviour): string[]
  refuse(refusal: Refusal): { headers: Record<string, string>; body: string }
  readonly refusals: Refusals
  /** A payload that tells of an error inside a stream. */
  streamError(refusal: Refusal): string
}

export const isRefusal = (read: Call | Query | Refusal): read is Refusal => 'status' in read
export const isQuery = (read: Call | Query): read is Query => 'respond' in read
