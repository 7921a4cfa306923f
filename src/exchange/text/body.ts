// A text request's body as a call asks things of it: parsed on the event loop, or, where it is large, on a thread.
import type { AskedExtra } from '../../domain/extras.ts'
import type { RequestFacts } from '../../protocols/facts.ts'
import { protocolOf, type Registry } from '../../protocols/registry.ts'
import type { JsonObject } from '../../protocols/wire/json.ts'
import type { JsonBody } from '../../protocols/wire/json-body.ts'
import { spliceFields } from '../../protocols/wire/json-splice.ts'
import { type ExtrasRules, pricedExtras } from './asked-extras.ts'

/** How a request is to be written for a route. Names instead of objects, so that it can cross to a thread. */
export interface Writing {
  /** The names of the caller's protocol and of the provider's. */
  from: string
  to: string
  streams: boolean
  /** The provider's own name of the model. */
  model: string
  max_output_tokens: number
  /** The output limit to send instead of the caller's, where the model or the balance allows less. */
  output_limit: number | undefined
  /** The most units of what is billed beyond tokens, between equal protocols; undefined where none is asked for. */
  max_units?: Readonly<Record<string, number>> | undefined
}

export interface TextBody {
  /** The body's top-level fields; where it was parsed on a thread, only those that surfaces read. */
  readonly fields: JsonObject
  /** What tells it from another body under the same Idempotency-Key. */
  readonly content: Uint8Array | string
  /**
   * What the price hangs on.
   * @param over fields that are read instead of the body's
   * @throws GatewayError as `readRequest` of the caller's protocol
   */
  facts(protocol: string, over?: JsonObject): RequestFacts | Promise<RequestFacts>
  /** The fewest tokens that its prompt can have. */
  leastTokens(protocol: string): number | Promise<number>
  /**
   * What it asks for beyond tokens, where it goes to a provider of the caller's protocol.
   * @throws GatewayError as `pricedExtras`
   */
  extras(protocol: string, rules: ExtrasRules): readonly AskedExtra[] | Promise<readonly AskedExtra[]>
  /** @throws GatewayError invalid_request naming what a provider alone remembers */
  rejectRemembered(protocol: string): void | Promise<void>
  /** @throws GatewayError invalid_request naming the field that the provider's protocol cannot carry */
  assertCarries(writing: Writing): void | Promise<void>
  /** The body for a provider: the caller's own bytes between equal protocols, else translated. @throws as `assertCarries` */
  write(writing: Writing): Uint8Array | string | Promise<Uint8Array | string>
  /** The caller's bytes with these fields in place of theirs, each name once. */
  replace(fields: JsonObject): Uint8Array | Promise<Uint8Array>
  /** No more will be asked: lets go of the body. */
  release(): void
}

/** A body that is parsed. */
export function parsedBody(protocols: Registry, body: JsonBody): TextBody {
  /** By protocol and model: a request is translated once for each. */
  const translated = new Map<string, JsonObject>()
  const textOf = (protocol: string) => protocolOf(protocols, { protocol }).text

  function translate({ from, to, streams, model, max_output_tokens }: Writing): JsonObject {
    const name = `${to}/${model}`
    const known = translated.get(name)
    if (known) return known
    const request = textOf(from).decodeRequest(body.json, streams)
    const made = textOf(to).encodeRequest(request, { model, max_output_tokens })
    translated.set(name, made)
    return made
  }

  return {
    fields: body.json,
    content: body.bytes,
    facts: (protocol, over) => textOf(protocol).readRequest(over ? { ...body.json, ...over } : body.json),
    leastTokens: (protocol) => textOf(protocol).leastTokens(body.json),
    extras: (protocol, rules) => pricedExtras(protocolOf(protocols, { protocol }), body.json, rules),
    rejectRemembered: (protocol) => textOf(protocol).extras?.rejectRemembered(body.json),
    assertCarries(writing) {
      // What the caller's own protocol can say, its providers can be told.
      if (writing.from !== writing.to) translate(writing)
    },
    write(writing) {
      const { from, to, model, streams, output_limit, max_units } = writing
      const text = textOf(to)
      const request = from === to ? body.json : translate(writing)
      const prepared = text.prepare(request, { model, streams })
      const limited = output_limit === undefined ? prepared : text.limitOutput(prepared, output_limit)
      if (from !== to) return JSON.stringify(limited)
      const counted = max_units && text.extras?.limitUnits?.(limited, (name) => max_units[name])
      return spliceFields(body, counted ?? limited)
    },
    replace: (fields) => spliceFields(body, { ...body.json, ...fields }),
    release() {
      // It goes with its call.
    },
  }
}
