// The interface of the demo provider's endpoints, and the behaviours that a model's name sets: `flash-slow-1500-tokens-40`.
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import type { Refused } from './ask.ts'

export interface Behaviour {
  readonly paints: boolean
  /** Refuses each request with this status. */
  readonly fail?: number
  /** Milliseconds to wait before the answer. */
  readonly slow?: number
  /** Milliseconds to wait between the events of a stream. */
  readonly pace?: number
  /** Number of text tokens to write, within the output limit. */
  readonly tokens?: number
  /** Breaks the connection after this number of events. */
  readonly break?: number
}

const WORDS = /-(fail|slow|pace|tokens|break)-(\d{1,7})(?=-|$)/g

export function behaviourOf(model: string): Behaviour {
  const numbers = [...model.matchAll(WORDS)].map(([, word = '', number]) => [word, Number(number)])
  return { ...Object.fromEntries(numbers), paints: model.includes('image') }
}

/** A parsed request. A form is converted to JSON: each field is a list of texts, and files are in base64. */
export interface Received {
  readonly url: URL
  readonly body: JsonObject
  readonly model: string
  readonly behaviour: Behaviour
}

/** The content of a response: JSON, bytes with a content type, or the events of a stream. */
export type Served =
  | { readonly json: object }
  | { readonly bytes: string | Uint8Array; readonly content_type: string }
  | { readonly events: readonly string[] }

export interface Endpoint {
  readonly path: RegExp
  /** The API key of a request; empty if it has none. */
  keyOf(request: Request): string
  /** The model that a request names; empty if none. */
  modelOf(url: URL, body: JsonObject): string
  /** @throws Refused */
  serve(received: Received): Served | Promise<Served>
  /** The body of a refusal. */
  refusalBody(refused: Refused): object
}
