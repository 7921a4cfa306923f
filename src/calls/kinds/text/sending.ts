// The upstream request of a text call: in the provider's protocol, with the output limit that the hold covers.
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
import type { SentBody } from './body.ts'
import type { TextOrder } from './order.ts'
import type { Passage } from './passage.ts'
import { formOf } from './provider-form.ts'
import { unitLimits } from './request-extras.ts'

/** The facts of the upstream request that decoding its answer needs. */
export type SentFacts = Omit<SentBody, 'body'>

/** Reads the part of an answer that must arrive before the caller gets a byte. */
type Open<T> = (response: Response, attempt: Attempt, onProgress: () => void, sent: SentFacts) => Promise<T>

export const sendingOf = <T>(
  { protocols }: Pick<CallParts, 'protocols'>,
  held: Held<TextOrder>,
  open: Open<T>,
): TextSending<T> => new TextSending(protocols, held, open)

const UNCHANGED: SentFacts = { dropped: [], renamed_tools: new Map(), wants_json: false }

class TextSending<T> implements Sending<T> {
  readonly streams: boolean
  readonly isPreferred: Sending<T>['isPreferred']
  readonly seed: number | undefined
  /** The facts of the last attempt's request. */
  sent: SentFacts = UNCHANGED
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
    this.isPreferred = issuer === undefined ? undefined : usesKey(issuer)
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
    const send = (as: SentBody): UpstreamRequest => {
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
    // Translation changes the content before the thinking, such as a late system message; passing through leaves it unchanged.
    const forgets = cannot_read_reasoning || (refuses_thinking && this.#translates(attempt))
    if (forgets && !this.#forgets_reasoning) {
      this.#forgets_reasoning = true
      return true
    }
    // The gateway adds the summary only in translation, so it removes it only there.
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

/** Providers keep prompt caches per key, so a conversation stays on one key. */
const seedOfCall = ({ caller, order: { session } }: Held<TextOrder>): number | undefined =>
  session === undefined ? undefined : seedOf(caller.account.id, session)

const usesKey =
  (issuer: string) =>
  ({ api_key }: Attempt): boolean =>
    markOf(api_key) === issuer

const withBody = ({ url, headers }: RequestHead, body: UpstreamRequest['body']): UpstreamRequest => ({
  url,
  headers,
  body,
})

/** Request heads without caller data: the same for every call while a catalogue is in force. */
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
 * Words a provider's refusal of the prompt's length in the format of the caller's protocol.
 * @returns undefined for another refusal, and if the provider's answer already has that format
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

/** Returns the output limit sent upstream, in tokens, if the model or the balance allows less than requested. */
export function outputLimitOf({
  order,
  held_nanos,
  covered_nanos,
  ceiling_nanos,
}: Held<TextOrder>): number | undefined {
  const { model, facts, quoted, price } = order
  if (held_nanos + covered_nanos < ceiling_nanos) return affordableOutput(price, quoted, held_nanos)
  // The hold covers the model's limit. If the caller set a higher one, the model's is sent.
  const { max_output_tokens = 0 } = facts
  return max_output_tokens > model.max_output_tokens ? model.max_output_tokens : undefined
}

const DROPPED = 'x-tollgate-dropped'

/** Returns the headers of an answer, whole or streamed. */
export function answerHeaders(
  held: Held<TextOrder>,
  { model }: Attempt,
  content_type: string,
  { dropped }: SentFacts,
): Record<string, string> {
  const headers = servedHeaders(held, content_type, model)
  const { answering } = held.order.request.dialect
  if (answering) Object.assign(headers, answering.headers)
  if (dropped.length > 0) headers[DROPPED] = [headers[DROPPED] ?? [], dropped].flat().join(', ')
  const output_limit = outputLimitOf(held)
  if (output_limit !== undefined) headers['x-tollgate-output-limit'] = String(output_limit)
  return headers
}
