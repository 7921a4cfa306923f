// The interface of an endpoint of the demo provider, and the behaviours that are written in the name of a model: `flash-slow-1500-tokens-40`.
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import type { Refused } from './ask.ts'

export interface Behaviour {
  readonly paints: boolean
  /** The status that it refuses with. */
  readonly fail?: number
  /** Milliseconds before the answer. */
  readonly slow?: number
  /** Milliseconds between the events of a stream. */
  readonly pace?: number
  /** Tokens of text, within the output limit. */
  readonly tokens?: number
  /** Events after which the connection breaks. */
  readonly break?: number
}

const WORDS = /-(fail|slow|pace|tokens|break)-(\d{1,7})(?=-|$)/g

export function behaviourOf(model: string): Behaviour {
  const numbers = [...model.matchAll(WORDS)].map(([, word = '', number]) => [word, Number(number)])
  return { ...Object.fromEntries(numbers), paints: model.includes('image') }
}

/** A request that has been read: forms as JSON, with each field's texts in a list and files in base64. */
export interface Received {
  readonly url: URL
  readonly body: JsonObject
  readonly model: string
  readonly behaviour: Behaviour
}

/** An answer: JSON, bytes of a type, or the events of a stream. */
export type Served =
  | { readonly json: object }
  | { readonly bytes: string | Uint8Array; readonly content_type: string }
  | { readonly events: readonly string[] }

export interface Endpoint {
  readonly path: RegExp
  /** The key of a request; empty without one. */
  keyOf(request: Request): string
  /** The model that a request names; empty if it names none. */
  modelOf(url: URL, body: JsonObject): string
  /** @throws Refused */
  serve(received: Received): Served | Promise<Served>
  /** The body of a refusal. */
  refusalBody(refused: Refused): object
}
