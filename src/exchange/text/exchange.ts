// Owns one paid text call, from the caller's key to the recorded charge: admit, quote, hold, dispatch, pump, settle, record.

import type { TextModel } from '../../domain/catalogue.ts'
import { GatewayError, upstreamFailed } from '../../domain/errors.ts'
import { type Billed, billedUsage, NO_USAGE, outputTokens, type Usage } from '../../domain/usage.ts'
import { idHeaders } from '../../http/answers.ts'
import { affordableOutput, type Quote, quote } from '../../pricing/quote.ts'
import type { RequestFacts } from '../../protocols/facts.ts'
import type { Protocol, StreamReading } from '../../protocols/protocol.ts'
import { protocolOf } from '../../protocols/registry.ts'
import { type JsonObject, parseAnswer } from '../../protocols/wire/json.ts'
import type { JsonBody } from '../../protocols/wire/json-body.ts'
import { type ByteReader, pump, type StreamEnding } from '../../upstream/pump.ts'
import { requestTo } from '../../upstream/request.ts'
import type { CallTarget } from '../call-target.ts'
import { readJsonBody } from '../json-body.ts'
import {
  type Admitted,
  type CallOrigin,
  createPaidCalls,
  type Held,
  type PaidCallDeps,
  type PaidCalls,
  type Sending,
} from '../paid-call.ts'
import { CLIENT_CLOSED_REQUEST } from '../settlement.ts'
import {
  type Conversion,
  carriedBy,
  convertAnswer,
  convertRequest,
  convertStream,
  type Dialect,
} from './conversion.ts'

export interface TextCall extends CallOrigin {
  body_limit_bytes: number
  /** What the address says, or how the body says it: then the model is found only after the body is read. */
  aim: CallTarget | ((body: JsonObject) => CallTarget)
  /** What the caller speaks. */
  dialect: (body: JsonObject) => Dialect
  /** Headers of the caller's that a provider of his own protocol is to get too. */
  forwarded_headers: Readonly<Record<string, string>>
}

/** A request with its price. */
interface Order extends RequestFacts, Quote {
  call: TextCall
  model: TextModel
  conversion: Conversion
}

interface HeldText extends Held<TextModel> {
  order: Order
  /** Set where the model or the balance allows less output than was asked: the limit that is sent upstream instead. */
  output_limit: number | undefined
}

/** A whole answer, ready for the caller. */
interface WholeAnswer {
  body: ArrayBuffer | string
  billed: Billed
}

export interface Exchange extends PaidCalls {
  /**
   * Serves one paid text call.
   *
   * @returns the answer, whole or streamed; the last of it leaves only after it is paid
   * @throws GatewayError for every refusal and failure before the first byte; nothing is held then
   */
  run(call: TextCall): Promise<Response>
}

/** The exchange over its parts. */
export function createExchange(deps: PaidCallDeps): Exchange {
  const steps = createPaidCalls(deps)

  async function run(call: TextCall): Promise<Response> {
    // 1. Admit: the key, the account, the limits, the model; of the body nothing is read that need not be.
    const admitted = steps.admit(call)
    try {
      const find = (model_id: string) => steps.findModel(admitted, model_id, 'text')
      const named = typeof call.aim === 'function' ? undefined : find(call.aim.model_id)
      const body = await readJsonBody(call.request, call.body_limit_bytes)
      const aim = typeof call.aim === 'function' ? call.aim(body.json) : call.aim
      const model = named ?? find(aim.model_id)
      // 2. Quote: the most that the call can cost, and the least that makes it worth starting.
      const order = quoteText(call, admitted, model, body, aim)
      return await steps.once(admitted, { content: [body.bytes], streams: aim.streams }, async () => {
        // 3. Hold: the ceiling, or all that there is where it pays for a useful answer.
        const held = await holdText(admitted, order)
        // 4. to 7. Dispatch, pump, settle and record.
        return await answer(held)
      })
    } catch (thrown) {
      steps.leave(admitted, 0)
      throw thrown
    }
  }

  /** Whatever fails before the first byte, however unforeseen, leaves nothing held. */
  async function answer(held: HeldText): Promise<Response> {
    try {
      return held.order.conversion.streams ? await streamedAnswer(held) : await wholeAnswer(held)
    } catch (thrown) {
      throw await steps.abandon(held, thrown)
    }
  }

  function quoteText(
    call: TextCall,
    admitted: Admitted,
    model: TextModel,
    body: JsonBody,
    aim: CallTarget,
  ): Order {
    const dialect = call.dialect(body.json)
    const facts = dialect.protocol.text.readRequest(body.json)
    const max_output_tokens = Math.min(
      facts.max_output_tokens ?? model.max_output_tokens,
      model.max_output_tokens,
    )
    const context = {
      id: call.request_id,
      model: aim.model_id,
      created_s: Math.floor(admitted.started_ms / 1000),
      shows_usage: dialect.shows_usage,
    }
    const conversion = {
      dialect,
      protocols: deps.protocols,
      body,
      streams: aim.streams,
      context,
      translated: new Map(),
    }
    return {
      call,
      model: carriedBy(conversion, model, deps.catalogue().providers),
      conversion,
      ...facts,
      ...quote(model.price, { ...facts, max_output_tokens }),
    }
  }

  async function holdText(admitted: Admitted, order: Order): Promise<HeldText> {
    const { model, conversion, ceiling_nanos } = order
    const held = await steps.hold(admitted, model, order, conversion.streams)
    const short = held.held_nanos < ceiling_nanos
    return {
      ...held,
      order,
      output_limit: short ? affordableOutput(model.price, order, held.held_nanos) : allowedOutput(order),
    }
  }

  /** The model's limit, where the caller set one beyond it: what is sent is what is held for. */
  function allowedOutput({ max_output_tokens = 0, model }: Order): number | undefined {
    return max_output_tokens > model.max_output_tokens ? model.max_output_tokens : undefined
  }

  /** How a text call is put to a route: in the provider's own protocol. */
  function sending<T>({ order, model, output_limit }: HeldText, open: Sending<T>['open']): Sending<T> {
    const { call, conversion } = order
    const { streams, dialect } = conversion
    const { max_output_tokens } = model
    return {
      streams,
      open,
      write({ provider, model: upstream_model, api_key }) {
        const protocol = protocolOf(deps.protocols, provider)
        const target = protocol.text.target({ model: upstream_model, api_key, streams })
        const body = convertRequest(conversion, protocol, {
          model: upstream_model,
          max_output_tokens,
          output_limit,
        })
        const forwarded = provider.protocol === dialect.protocol.name ? call.forwarded_headers : {}
        return requestTo(provider, target, body, forwarded)
      },
    }
  }

  async function wholeAnswer(held: HeldText): Promise<Response> {
    const { order } = held
    const { answer } = await steps.send(
      held,
      sending(held, (response, { provider }) =>
        readWhole(response, order, protocolOf(deps.protocols, provider)),
      ),
    )
    await steps.settle(held, held.place.gone.aborted ? 'cancelled' : 'completed', answer.billed)
    return new Response(answer.body, { headers: answerHeaders(held, 'application/json') })
  }

  async function streamedAnswer(held: HeldText): Promise<Response> {
    const { order, place } = held
    const { dialect } = order.conversion
    const { answer, attempt, abort } = await steps.send(held, sending(held, readFirst))
    const { server } = deps.catalogue()
    const protocol = protocolOf(deps.protocols, attempt.provider)
    const reading = protocol.text.stream.open()
    const relay = convertStream(order.conversion, protocol, reading, () => billStream(order, reading).usage)
    place.watchSilence(attempt.provider.idle_timeout_ms, abort)
    const body = pump({
      ...answer,
      relay,
      gone: place.gone,
      abortUpstream: abort,
      drain_timeout_ms: server.on_disconnect === 'drain' ? server.drain_timeout_ms : 0,
      settle: (ending, cause) => settleStream(held, reading, ending, cause),
      renderError: (cause) =>
        dialect.protocol.renderStreamError(
          cause instanceof GatewayError ? cause : brokenStream(),
          order.call.request_id,
        ),
      onProgress: place.progressed,
    })
    return new Response(body, { headers: answerHeaders(held, relay.content_type) })
  }

  /** What was delivered is charged, however the stream ended; one that broke, or was left, before anything came is free. */
  async function settleStream(
    held: HeldText,
    reading: StreamReading,
    ending: StreamEnding,
    cause: unknown,
  ): Promise<void> {
    const { request_id } = held.order.call
    if (cause !== undefined) deps.log.warn({ request_id, cause }, 'a stream broke')
    const delivered_tokens = reading.deliveredTokens()
    const reported = reading.usage()
    const nothing_to_charge = ending === 'broken' || (ending === 'cancelled' && reported === undefined)
    if (delivered_tokens === 0 && nothing_to_charge) {
      const status = ending === 'cancelled' ? CLIENT_CLOSED_REQUEST : 200
      await held.settlement.voidHold(ending, status).finally(() => steps.leave(held, 0))
    } else {
      await steps.settle(held, ending, billStream(held.order, reading, ending))
    }
  }

  return { ...steps, run }
}

function answerHeaders(held: HeldText, content_type: string): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': content_type, ...idHeaders(held.origin) }
  if (held.output_limit !== undefined) headers['x-tollgate-output-limit'] = String(held.output_limit)
  return headers
}

/** A usage as reported, or what is missing of it estimated. @param estimateOutput what was delivered, in tokens */
function bill({ input_tokens }: Order, reported: Usage | undefined, estimateOutput: () => number): Billed {
  return billedUsage(reported, () => ({ ...NO_USAGE, input_tokens, output_tokens: estimateOutput() }))
}

/** What a stream is charged for. One that did not come to its end may not have told its output. */
function billStream(order: Order, reading: StreamReading, ending: StreamEnding = 'completed'): Billed {
  const billed = bill(order, reading.usage(), () => reading.deliveredTokens())
  if (ending === 'completed' || outputTokens(billed.usage) > 0) return billed
  return { usage: { ...billed.usage, output_tokens: reading.deliveredTokens() }, estimated: true }
}

/** All of an answer; what is cut short, or tells of an error under status 200, is none, and another route may have one. */
async function readWhole(response: Response, order: Order, protocol: Protocol): Promise<WholeAnswer> {
  const bytes = await response.arrayBuffer()
  const json = parseAnswer(Buffer.from(bytes).toString())
  const billed = bill(order, protocol.text.readUsage(json), () => protocol.text.estimateOutput(json))
  return { body: convertAnswer(order.conversion, protocol, { bytes, json }, billed.usage), billed }
}

/** The first bytes of a stream: until they are there, another route may still answer. */
async function readFirst(response: Response): Promise<{ reader: ByteReader; first: Uint8Array }> {
  const type = response.headers.get('content-type')
  if (type !== null && !type.startsWith('text/event-stream'))
    throw new Error(`the upstream sent ${type}, no stream`)
  if (!response.body) throw new Error('the upstream sent an answer without a body')
  const reader: ByteReader = response.body.getReader()
  const { value } = await reader.read()
  if (!value) throw new Error('the upstream sent an empty stream')
  return { reader, first: value }
}

const brokenStream = () =>
  upstreamFailed("The model's vendor broke off its answer. What came until here was charged; please retry.")
