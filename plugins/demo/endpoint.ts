// The interface of an endpoint of the demo provider.
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import type { Refused } from './ask.ts'
import type { Behaviour } from './behaviour.ts'

/** A request that has been read: forms as JSON, with each field's texts in a list and files in base64. */
export interface Received {
  readonly url: URL
  readonly body: JsonObject
  readonly model: string
  readonly behaviour: Behaviour
}

/** What a request is answered with: JSON, bytes of a type, or the events of a stream. */
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
