// The writing of a text call for a route: in the provider's own protocol, with the output limit that is held for.
import type { GatewayError } from '../../../domain/errors.ts'
import { affordableOutput } from '../../../money/pricing/quote.ts'
import { markOf } from '../../../observe/key-mark.ts'
import type { UpstreamFailure } from '../../../protocols/facts.ts'
import type { Protocol } from '../../../protocols/protocol.ts'
import type { Registry } from '../../../protocols/registry.ts'
import { headTo, type RequestHead } from '../../../upstream/request.ts'
import { type Attempt, seedOf } from '../../../upstream/routes.ts'
import type { Sending } from '../../../upstream/sending.ts'
import type { UpstreamRequest } from '../../../upstream/transport.ts'
import { PairMap } from '../../../utilities/pair-map.ts'
import type { Held } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'
import { servedHeaders } from '../../serving/model-name.ts'
import type { Written } from './body.ts'
import type { TextOrder } from './order.ts'
import type { Passage } from './passage.ts'
import { formOf } from './provider-form.ts'
import { unitLimits } from './request-extras.ts'

/** The facts of a written request that its answer depends on. */
export type AsSent = Omit<Written, 'body'>

/** Reads an answer as far as it must be there before the caller gets a byte. */
type Open<T> = (response: Response, attempt: Attempt, onProgress: () => void, sent: AsSent) => Promise<T>

export const sendingOf = <T>(
  { protocols }: Pick<CallParts, 'protocols'>,
  held: Held<TextOrder>,
  open: Open<T>,
): TextSending<T> => new TextSending(protocols, held, open)

const AS_ASKED: AsSent = { dropped: [], renamed_tools: new Map(), wants_json: false }

class TextSending<T> implements Sending<T> {
  readonly streams: boolean
  readonly isPreferred: Sending<T>['isPreferred']
  readonly seed: number | undefined
  /** How the request of the last attempt was written. */
  sent: AsSent = AS_ASKED
  readonly #protocols: Registry
  readonly #open: Open<T>
  readonly #order: TextOrder
  readonly #output_limit: number | undefined
  #forgets_reasoning = false
  #without_summary = false

  constructor(protocols: Registry, held: Held<TextOrder>, open: Open<T>) {
    const { order } = held
    const { issuer } = order.facts
    this.streams = order.streams
    this.#protocols = protocols
    this.#open = open
    this.isPreferred = issuer === undefined ? undefined : hasKeyOf(issuer)
    this.seed = seedOfCall(held)
    this.#order = order
    this.#output_limit = outputLimitOf(held)
    if (this.#output_limit !== undefined) held.trace.note({ output_limit: this.#output_limit })
  }

  write(attempt: Attempt): UpstreamRequest | Promise<UpstreamRequest> {
    const { model, streams, passages, request } = this.#order
    const passage = passages(attempt)
    const head = headOf(attempt, passage, streams)
    const written = request.body.write({
      from: request.dialect.protocol.name,
      to: passage.protocol.name,
      streams,
      model: attempt.model,
      generation: attempt.generation,
      efforts: model.efforts,
      max_output_tokens: model.max_output_tokens,
      automatic_caching: model.automatic_caching,
      output_limit: this.#output_limit,
      forgets_reasoning: this.#forgets_reasoning,
      service_tier: this.#order.service_tier,
      form: formOf(this.#protocols, attempt.provider),
      without_summary: this.#without_summary,
      max_units: unitLimits(model, passage.extras),
    })
    const send = (as: Written): UpstreamRequest => {
      this.sent = as
      return withBody(head, as.body)
    }
    return written instanceof Promise ? written.then(send) : send(written)
  }

  open(response: Response, attempt: Attempt, onProgress: () => void): Promise<T> {
    return this.#open(response, attempt, onProgress, this.sent)
  }

  amend(
    attempt: Attempt,
    { cannot_read_reasoning, refuses_thinking, refuses_summary }: UpstreamFailure,
  ): boolean {
    // Translation changes what stands before the thinking, such as a system message that comes late; what passes through is as it was.
    const forgets = cannot_read_reasoning || (refuses_thinking && this.#translates(attempt))
    if (forgets && !this.#forgets_reasoning) {
      this.#forgets_reasoning = true
      return true
    }
    // Where the caller did not ask for a summary itself, the gateway did.
    if (!refuses_summary || this.#without_summary || !this.#translates(attempt)) return false
    this.#without_summary = true
    return true
  }

  #translates(attempt: Attempt): boolean {
    const { passages, request } = this.#order
    return passages(attempt).protocol.name !== request.dialect.protocol.name
  }

  refused(attempt: Attempt, failure: UpstreamFailure): GatewayError | undefined {
    return promptTooLong(this.#order, this.#order.passages(attempt), failure)
  }

  isTooSmall({ too_long }: UpstreamFailure): boolean {
    return too_long?.context !== undefined && too_long.context < this.#order.model.context
  }
}

/** Providers keep their prompt caches by key, so the turns of a conversation stay at one. */
const seedOfCall = ({ caller, order: { session } }: Held<TextOrder>): number | undefined =>
  session === undefined ? undefined : seedOf(caller.account.id, session)

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

function makeHead(attempt: Attempt, { protocol, forwarded_headers }: Passage, streams: boolean): RequestHead {
  const { model } = attempt
  return headTo(attempt, protocol.text.target({ model, streams }), forwarded_headers)
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

/** The output limit sent upstream, in tokens, where the model or the balance allows less than requested. */
export function outputLimitOf({
  order,
  held_nanos,
  covered_nanos,
  ceiling_nanos,
}: Held<TextOrder>): number | undefined {
  const { model, facts, quoted, price } = order
  if (held_nanos + covered_nanos < ceiling_nanos) return affordableOutput(price, quoted, held_nanos)
  // The hold covers the model's limit, where the caller set one beyond it: so that is sent.
  const { max_output_tokens = 0 } = facts
  return max_output_tokens > model.max_output_tokens ? model.max_output_tokens : undefined
}

const DROPPED = 'x-tollgate-dropped'

/** The headers of an answer, whole or streamed. */
export function answerHeaders(
  held: Held<TextOrder>,
  { model }: Attempt,
  content_type: string,
  { dropped }: AsSent,
): Record<string, string> {
  const headers = servedHeaders(held, content_type, model)
  const { answering } = held.order.request.dialect
  if (answering) Object.assign(headers, answering.headers)
  if (dropped.length > 0) headers[DROPPED] = [headers[DROPPED] ?? [], dropped].flat().join(', ')
  const output_limit = outputLimitOf(held)
  if (output_limit !== undefined) headers['x-tollgate-output-limit'] = String(output_limit)
  return headers
}
