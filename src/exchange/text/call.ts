// Paid text calls, as a value: how they are read, what they can cost, and how they are served.
import { type Quote, quote } from '../../pricing/quote.ts'
import type { JsonObject } from '../../protocols/wire/json.ts'
import { type Admitted, type CallOrigin, findModel } from '../admission.ts'
import { costsNothing, mayCallFreeModel } from '../arrival.ts'
import type { CallTarget } from '../call-target.ts'
import { carriedBy } from '../carried-by.ts'
import type { PaidKind } from '../paid-call.ts'
import type { ExchangeParts } from '../parts.ts'
import type { Dialect } from './dialect.ts'
import type { TextOrder } from './order.ts'
import { passagesOf } from './passages.ts'
import { readTextBody } from './read-body.ts'
import { serveStream } from './serve-stream.ts'
import { serveWhole } from './serve-whole.ts'

export interface TextCall extends CallOrigin {
  body_limit_bytes: number
  /** What the address asks for; or how the body says it: then the model is found only after the body is read. */
  target: CallTarget | ((body: JsonObject) => CallTarget)
  /** What the caller speaks. */
  dialect: (body: JsonObject) => Dialect
  /** Headers of the caller's that a provider of their own protocol is to get too. */
  forwarded_headers: Readonly<Record<string, string>>
}

export const textCalls: PaidKind<TextCall, TextOrder> = {
  read: readTextCall,
  quote: quoteText,
  serve: (parts, held) => (held.order.streams ? serveStream(parts, held) : serveWhole(parts, held)),
}

/** Of the body nothing is read that need not be: where the address names the model, it is found first. */
async function readTextCall(parts: ExchangeParts, admitted: Admitted, call: TextCall): Promise<TextOrder> {
  const find = (model_id: string) => findModel(parts, admitted, model_id, 'text')
  const named = typeof call.target === 'function' ? undefined : find(call.target.model_id)
  const body = await readTextBody(parts, admitted, {
    limit_bytes: call.body_limit_bytes,
    isFree: () => (named ? costsNothing(named) : mayCallFreeModel(parts.catalogue(), admitted, 'text')),
  })
  const target = typeof call.target === 'function' ? call.target(body.fields) : call.target
  const model = named ?? find(target.model_id)
  const dialect = call.dialect(body.fields)
  const facts = await body.facts(dialect.protocol.name)
  const { streams } = target
  const context = {
    id: call.request_id,
    model: target.model_id,
    created_s: Math.floor(admitted.started_ms / 1000),
    shows_usage: dialect.shows_usage,
  }
  const request = { dialect, body, streams, context }
  const { max_output_tokens } = model
  return {
    model: await carriedBy(parts, model, (provider, route) =>
      body.assertCarries({
        from: dialect.protocol.name,
        to: provider.protocol,
        streams,
        model: route.model,
        max_output_tokens,
        output_limit: undefined,
      }),
    ),
    streams,
    content: [body.content],
    request,
    facts,
    passages: passagesOf(request, parts.protocols, call.forwarded_headers),
  }
}

/** The most that the call can cost, and the least that makes it worth starting. */
function quoteText({ model, facts }: TextOrder): Quote {
  const asked = facts.max_output_tokens ?? model.max_output_tokens
  return quote(model.price, { ...facts, max_output_tokens: Math.min(asked, model.max_output_tokens) })
}
