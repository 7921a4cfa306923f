// How a text call is put to a route: in the provider's own protocol, with the output limit that is held for.
import type { GatewayError } from '../../domain/errors.ts'
import { markOf } from '../../observe/key-mark.ts'
import { affordableOutput } from '../../pricing/quote.ts'
import type { UpstreamFailure } from '../../protocols/facts.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import { sessionInHeaders } from '../../protocols/session.ts'
import { headTo, type RequestHead } from '../../upstream/request.ts'
import { type Attempt, seedOf } from '../../upstream/routes.ts'
import type { Sending } from '../../upstream/sending.ts'
import type { UpstreamRequest } from '../../upstream/transport.ts'
import { PairMap } from '../../utilities/pair-map.ts'
import type { Held } from '../life/paid-kind.ts'
import { servedHeaders } from '../serving/served-headers.ts'
import { unitLimits } from './asked-extras.ts'
import type { TextOrder } from './order.ts'
import type { Passage } from './passage.ts'

/** @param open reads an answer as far as it must be there before the caller gets a byte */
export const sendingOf = <T>(held: Held<TextOrder>, open: Sending<T>['open']): Sending<T> =>
  new TextSending(held, open)

class TextSending<T> implements Sending<T> {
  readonly streams: boolean
  readonly open: Sending<T>['open']
  readonly isPreferred: Sending<T>['isPreferred']
  readonly seed: number | undefined
  readonly #order: TextOrder
  readonly #output_limit: number | undefined
  #forgets_reasoning = false

  constructor(held: Held<TextOrder>, open: Sending<T>['open']) {
    const { order } = held
    const { issuer } = order.facts
    this.streams = order.streams
    this.open = open
    this.isPreferred = issuer === undefined ? undefined : hasKeyOf(issuer)
    this.seed = seedOfCall(held)
    this.#order = order
    this.#output_limit = outputLimitOf(held)
    if (this.#output_limit !== undefined) held.settlement.trace.note({ output_limit: this.#output_limit })
  }

  write(attempt: Attempt): UpstreamRequest | Promise<UpstreamRequest> {
    const { model, streams, passages, request } = this.#order
    const passage = passages(attempt.provider)
    const head = headOf(attempt, passage, streams)
    const body = request.body.write({
      from: request.dialect.protocol.name,
      to: passage.protocol.name,
      streams,
      model: attempt.model,
      max_output_tokens: model.max_output_tokens,
      output_limit: this.#output_limit,
      forgets_reasoning: this.#forgets_reasoning,
      service_tier: this.#order.service_tier,
      max_units: unitLimits(model, passage.extras),
    })
    return body instanceof Promise ? body.then((body) => withBody(head, body)) : withBody(head, body)
  }

  amend(_: Attempt, { cannot_read_reasoning }: UpstreamFailure): boolean {
    if (this.#forgets_reasoning || !cannot_read_reasoning) return false
    this.#forgets_reasoning = true
    return true
  }

  refused({ provider }: Attempt, failure: UpstreamFailure): GatewayError | undefined {
    return promptTooLong(this.#order, this.#order.passages(provider), failure)
  }

  isTooSmall({ too_long }: UpstreamFailure): boolean {
    return too_long?.context !== undefined && too_long.context < this.#order.model.context
  }
}

/** Providers keep their prompt caches by key, so the turns of a conversation stay at one. */
function seedOfCall({ origin, caller, order }: Held<TextOrder>): number | undefined {
  const session = sessionInHeaders(origin.request.headers) ?? order.facts.session
  return session === undefined ? undefined : seedOf(caller.account.id, session)
}

const hasKeyOf =
  (issuer: string) =>
  ({ api_key }: Attempt): boolean =>
    markOf(api_key) === issuer

const withBody = ({ url, headers }: RequestHead, body: UpstreamRequest['body']): UpstreamRequest => ({
  url,
  headers,
  body,
})

/** The heads of requests that nothing of their caller's is in: the same for every call, as long as a catalogue is in force. */
const WHOLE_HEADS = new PairMap<Attempt, Protocol, RequestHead>()
const STREAMED_HEADS = new PairMap<Attempt, Protocol, RequestHead>()

function headOf(attempt: Attempt, passage: Passage, streams: boolean): RequestHead {
  if (Object.keys(passage.forwarded_headers).length > 0) return makeHead(attempt, passage, streams)
  const heads = streams ? STREAMED_HEADS : WHOLE_HEADS
  const { protocol } = passage
  return heads.get(attempt, protocol) ?? heads.set(attempt, protocol, makeHead(attempt, passage, streams))
}

function makeHead(
  { provider, model, api_key }: Attempt,
  { protocol, forwarded_headers }: Passage,
  streams: boolean,
): RequestHead {
  const target = protocol.text.target({ model, api_key, streams })
  return headTo(provider, target, forwarded_headers)
}

/**
 * A provider's refusal of the prompt's length, in the words and with the code of the caller's protocol.
 * @returns undefined for another refusal, and where the provider's own words are those
 */
function promptTooLong(
  { model, facts, request }: TextOrder,
  { protocol }: Passage,
  { too_long }: UpstreamFailure,
): GatewayError | undefined {
  const callers = request.dialect.protocol.text
  if (!too_long || callers.promptTooLong === protocol.text.promptTooLong) return undefined
  const { context = model.context, tokens = facts.input_tokens } = too_long
  return callers.promptTooLong(Math.max(tokens, context + 1), context)
}

/** Set where the model or the balance allows less output than was asked: the limit that is sent upstream instead, in tokens. */
export function outputLimitOf({ order, held_nanos, ceiling_nanos }: Held<TextOrder>): number | undefined {
  const { model, facts, quoted, price } = order
  if (held_nanos < ceiling_nanos) return affordableOutput(price, quoted, held_nanos)
  // What is sent is what is held for: the model's limit, where the caller set one beyond it.
  const { max_output_tokens = 0 } = facts
  return max_output_tokens > model.max_output_tokens ? model.max_output_tokens : undefined
}

/** The headers of an answer, whole or streamed. */
export function answerHeaders(
  held: Held<TextOrder>,
  { model }: Attempt,
  content_type: string,
): Record<string, string> {
  const headers = servedHeaders(held.origin, content_type, model)
  const { answering } = held.order.request.dialect
  if (answering) Object.assign(headers, answering.headers)
  const output_limit = outputLimitOf(held)
  if (output_limit !== undefined) headers['x-tollgate-output-limit'] = String(output_limit)
  return headers
}
