// Owns one paid call, from the caller's key to the recorded charge: admit, quote, hold, dispatch, pump, settle, record.
import { type Caller, type Gate, mayCall } from './access/gate.ts'
import { type Lease, type Limiter, limitsFor } from './access/limits.ts'
import { type JsonBody, readJsonBody } from './body.ts'
import type { Catalogue, TextModel } from './config/catalogue.ts'
import {
  notFound,
  overloaded,
  permissionDenied,
  rateLimited,
  toGatewayError,
  upstreamFailed,
} from './errors.ts'
import type { Nanos } from './money.ts'
import { chargeTokens } from './pricing/charge.ts'
import { affordableOutput, quote } from './pricing/quote.ts'
import type { JsonObject, Protocol, StreamReading } from './protocols/protocol.ts'
import { refusalError } from './refusals.ts'
import type { RunningCall, RunningCalls } from './running.ts'
import { CLIENT_CLOSED_REQUEST, openSettlement, type Settlement, type SettlementDeps } from './settlement.ts'
import { type DispatchDeps, type Dispatched, dispatch, type UpstreamRequest } from './upstream/dispatch.ts'
import { type ByteReader, pump, type StreamEnding } from './upstream/pump.ts'
import type { Relay } from './upstream/relay.ts'
import type { Attempt } from './upstream/routes.ts'
import { NO_USAGE, totalTokens, type Usage } from './usage.ts'

export interface ExchangeDeps extends SettlementDeps {
  gate: Gate
  limiter: Limiter
  upstream: DispatchDeps
  protocols: Readonly<Record<Protocol['name'], Protocol>>
  running: RunningCalls
  catalogue: () => Catalogue
  /** What callers may read of a vendor's words about their request. */
  publicWords: (words: string) => string
}

/** What a surface knows of a call before its body is read. */
export interface TextCall {
  request: Request
  request_id: string
  surface: string
  /** What the caller speaks. */
  protocol: Protocol
  credential: string | undefined
  /** The caller's address; asked for only where his key is bound to some. */
  address: () => string | undefined
  /** Lifts the idle time-out of the caller's socket, or puts it back. */
  keepOpen: (open: boolean) => void
  body_limit_bytes: number
  model_id: string
  streams: boolean
  /** How a stream is framed for this caller. */
  relay: (reading: StreamReading) => Relay
}

/** A call that was let in, with all that it must give back when it ends. */
interface Admitted {
  call: TextCall
  caller: Caller
  model: TextModel
  lease: Lease
  place: RunningCall
  started_ms: number
}

/** A request with its price: what may be held for it, and what goes upstream. */
interface Order {
  body: JsonBody
  input_tokens: number
  answers: number
  ceiling_nanos: Nanos
  floor_nanos: Nanos
}

/** A call whose money is held. */
interface Held extends Admitted {
  order: Order
  settlement: Settlement
  /** Set where the balance pays for less output than was asked: the limit that is sent upstream instead. */
  output_limit: number | undefined
}

export interface Exchange {
  /**
   * Serves one paid text call.
   *
   * @returns the answer, whole or streamed; the last of it leaves only after it is paid
   * @throws GatewayError for every refusal and failure before the first byte; nothing is held then
   */
  run(call: TextCall): Promise<Response>
}

/** The exchange over its parts. */
export function createExchange(deps: ExchangeDeps): Exchange {
  const { ledger, now, probe, log } = deps

  async function run(call: TextCall): Promise<Response> {
    const admitted = admit(call)
    try {
      const order = await quoteBody(admitted)
      const held = await hold(admitted, order)
      return call.streams ? await streamedAnswer(held) : await wholeAnswer(held)
    } catch (thrown) {
      leave(admitted, 0)
      throw thrown
    }
  }

  // 1. Admit: who calls, how much at once, which model. The body is not read before all of it is known.

  function admit(call: TextCall): Admitted {
    if (deps.running.stopping)
      throw overloaded('The gateway is restarting. Please retry.', { retry_after_s: 5 })
    const caller = deps.gate.admit(call.credential, call.address)
    const lease = takeLease(caller)
    try {
      const model = findModel(caller, call.model_id)
      const place = deps.running.enter(call.request, call.keepOpen)
      probe('admitted')
      return { call, caller, model, lease, place, started_ms: now() }
    } catch (thrown) {
      lease.release()
      throw thrown
    }
  }

  function takeLease({ account, key }: Caller): Lease {
    const limits = limitsFor(deps.catalogue().limits, account.name, key.prefix)
    const admission = deps.limiter.admit({ account_id: account.id, key_id: key.id, ...limits })
    if (admission.ok) return admission.lease
    const limit = `${admission.limit.replaceAll('_', ' ')} of this ${admission.of}`
    throw rateLimited(`The limit on ${limit} is reached. Retry after ${admission.retry_after_s} s.`, {
      retry_after_s: admission.retry_after_s,
    })
  }

  function findModel({ key }: Caller, model_id: string): TextModel {
    const model = deps.catalogue().models.get(model_id)
    if (!model || model.retired) {
      throw notFound(
        'There is no such model here, or it was retired. Ask the operator which models there are.',
      )
    }
    if (!mayCall(key, model_id))
      throw permissionDenied(`This API key has no access to the model "${model_id}".`)
    if (model.kind !== 'text') throw notFound(`The model "${model_id}" does not generate text.`)
    return model
  }

  // 2. Quote: the most that the call can cost, and the least that makes it worth starting.

  async function quoteBody({ call, model }: Admitted): Promise<Order> {
    const body = await readJsonBody(call.request, call.body_limit_bytes)
    const { input_tokens, answers, max_output_tokens } = call.protocol.readRequest(body.json)
    const limit = Math.min(max_output_tokens ?? model.max_output_tokens, model.max_output_tokens)
    const { ceiling_nanos, floor_nanos } = quote(model.price, {
      input_tokens,
      answers,
      max_output_tokens: limit,
    })
    return { body, input_tokens, answers, ceiling_nanos, floor_nanos }
  }

  // 3. Hold: the ceiling, or all that there is where it pays for a useful answer.

  async function hold(admitted: Admitted, order: Order): Promise<Held> {
    const { call, caller, model, started_ms } = admitted
    const now_ms = now()
    const outcome = await ledger.submit({
      op: 'hold',
      account_id: caller.account.id,
      key_id: caller.key.id,
      request_id: call.request_id,
      amount_nanos: order.ceiling_nanos,
      minimum_nanos: order.floor_nanos,
      now_ms,
      expires_at_ms: now_ms + longestTime(model),
    })
    if (!outcome.ok) throw refusalError(outcome.refusal)
    probe('held')
    const { hold_id, held_nanos } = outcome
    const { request_id, surface, model_id, streams: streamed } = call
    const settlement = openSettlement(deps, {
      hold_id,
      request_id,
      surface,
      model_id,
      streamed,
      caller,
      started_ms,
    })
    const short = held_nanos < order.ceiling_nanos
    return {
      ...admitted,
      order,
      settlement,
      output_limit: short ? affordableOutput(model.price, order, held_nanos) : undefined,
    }
  }

  /** Every route may take its whole time, and a caller his own to read: an older hold was left behind. */
  function longestTime(model: TextModel): number {
    const { providers, server } = deps.catalogue()
    const times_ms = model.routes.map(({ provider }) => providers.get(provider)?.call_timeout_ms ?? 0)
    return times_ms.reduce(
      (sum, time_ms) => sum + time_ms,
      server.drain_timeout_ms + server.stalled_reader_timeout_ms,
    )
  }

  // 4. Dispatch: the first route that answers.

  async function send<T>(held: Held, open: (response: Response) => Promise<T>): Promise<Dispatched<T>> {
    const { call, model, place, settlement } = held
    try {
      const dispatched = await dispatch(deps.upstream, {
        catalogue: deps.catalogue(),
        model,
        signal: upstreamSignal(place),
        write: (attempt) => writeRequest(held, attempt),
        open,
        readFailure: ({ provider }, ...answer) => deps.protocols[provider.protocol].readFailure(...answer),
        publicWords: deps.publicWords,
        timeoutOf: ({ provider }) =>
          call.streams ? provider.first_byte_timeout_ms : provider.call_timeout_ms,
        onFailure: ({ key_id }, { blame, message }) =>
          log.warn(
            { request_id: call.request_id, provider_key: key_id, blame, cause: message },
            'a route failed',
          ),
      })
      settlement.reached(dispatched.attempt)
      probe('dispatched')
      return dispatched
    } catch (thrown) {
      if (place.gone.aborted) await settlement.giveBack('cancelled', CLIENT_CLOSED_REQUEST)
      else await settlement.giveBack('failed', call.protocol.renderError(toGatewayError(thrown), '').status)
      throw thrown
    }
  }

  function writeRequest(
    { call, order, output_limit }: Held,
    { provider, model, api_key }: Attempt,
  ): UpstreamRequest {
    const protocol = deps.protocols[provider.protocol]
    const { path, headers } = protocol.target({ model, api_key, streams: call.streams })
    return {
      url: provider.base_url + path,
      headers: {
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        ...provider.headers,
        ...headers,
      },
      body:
        output_limit === undefined
          ? order.body.bytes
          : JSON.stringify(protocol.limitOutput(order.body.json, output_limit)),
    }
  }

  /** Fires when a caller who has gone takes the upstream with him: at once, or after the time to drain. */
  function upstreamSignal({ gone }: RunningCall): AbortSignal {
    const { on_disconnect, drain_timeout_ms } = deps.catalogue().server
    if (on_disconnect === 'cancel') return gone
    const controller = new AbortController()
    const abortLater = () => setTimeout(() => controller.abort(), drain_timeout_ms).unref()
    gone.addEventListener('abort', abortLater, { once: true })
    return controller.signal
  }

  // 5. Pump: the upstream's bytes untouched, whole or as they come, with the usage observed on the way.

  async function wholeAnswer(held: Held): Promise<Response> {
    const { protocol } = held.call
    const { answer } = await send(held, readWhole)
    await settle(held, 'completed', protocol.readUsage(answer.json), () =>
      protocol.estimateOutput(answer.json),
    )
    return new Response(answer.bytes, { headers: answerHeaders(held, 'application/json') })
  }

  async function streamedAnswer(held: Held): Promise<Response> {
    const { call, place } = held
    const { answer, attempt, abort } = await send(held, readFirst)
    const { server } = deps.catalogue()
    const reading = deps.protocols[attempt.provider.protocol].stream.open()
    const relay = call.relay(reading)
    place.watchSilence(attempt.provider.idle_timeout_ms, abort)
    const body = pump({
      ...answer,
      relay,
      gone: place.gone,
      abortUpstream: abort,
      drain_timeout_ms: server.on_disconnect === 'drain' ? server.drain_timeout_ms : 0,
      settle: (ending, cause) => settleStream(held, reading, ending, cause),
      renderError: () => call.protocol.renderStreamError(brokenStream(), call.request_id),
      onMove: place.moved,
    })
    return new Response(body, { headers: answerHeaders(held, relay.content_type) })
  }

  function answerHeaders({ call, output_limit }: Held, content_type: string): Record<string, string> {
    const headers: Record<string, string> = { 'content-type': content_type, 'x-request-id': call.request_id }
    if (output_limit !== undefined) headers['x-tollgate-output-limit'] = String(output_limit)
    return headers
  }

  // 6. and 7. Settle and record: exactly once, in one transaction, before the last of the answer leaves.

  async function settleStream(
    held: Held,
    reading: StreamReading,
    ending: StreamEnding,
    cause: unknown,
  ): Promise<void> {
    if (cause !== undefined) log.warn({ request_id: held.call.request_id, cause }, 'a stream broke')
    const delivered_tokens = reading.deliveredTokens()
    if (ending === 'broken' && delivered_tokens === 0) {
      await held.settlement.giveBack('broken', 200).finally(() => leave(held, 0))
    } else {
      await settle(held, ending, reading.usage(), () => delivered_tokens)
    }
  }

  /** @param estimateOutput what was delivered, in tokens; asked for where the upstream reported no usage */
  async function settle(
    held: Held,
    outcome: StreamEnding,
    reported: Usage | undefined,
    estimateOutput: () => number,
  ): Promise<void> {
    const usage = reported ?? {
      ...NO_USAGE,
      input_tokens: held.order.input_tokens,
      output_tokens: estimateOutput(),
    }
    const charge = chargeTokens(held.model.price, usage)
    try {
      await held.settlement.post({ outcome, charge, usage, estimated: reported === undefined })
    } finally {
      leave(held, totalTokens(usage))
    }
  }

  function leave({ lease, place }: Admitted, tokens: number): void {
    lease.release(tokens)
    place.leave()
  }

  return { run }
}

/** The upstream's bytes, and what they say; what is cut short is no answer. */
async function readWhole(response: Response): Promise<{ bytes: ArrayBuffer; json: JsonObject }> {
  const bytes = await response.arrayBuffer()
  return { bytes, json: JSON.parse(Buffer.from(bytes).toString()) as JsonObject }
}

/** The first bytes of a stream: until they are there, another route may still answer. */
async function readFirst(response: Response): Promise<{ reader: ByteReader; first: Uint8Array }> {
  if (!response.body) throw new Error('the upstream sent an answer without a body')
  const reader: ByteReader = response.body.getReader()
  const { value } = await reader.read()
  if (!value) throw new Error('the upstream sent an empty stream')
  return { reader, first: value }
}

const brokenStream = () =>
  upstreamFailed("The model's vendor broke off its answer. What came until here was charged; please retry.")
