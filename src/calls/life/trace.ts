// The trace of a running call: its times, failed tries and failure, gathered cheaply and written at its end as JSON of bounded size.
import { GatewayError, UpstreamFault } from '../../domain/errors.ts'
import {
  type CallTrace,
  MAX_TRACE_BYTES,
  type TracedFailure,
  type TracedTry,
} from '../../money/ledger/traces.ts'
import type { UpstreamFailure } from '../../protocols/facts.ts'
import type { Call } from '../../store/schema.ts'
import type { Attempt } from '../../upstream/routes.ts'
import { costOfTry, type RouteCost } from '../settling/provider-cost.ts'

/** The traced facts besides the times. */
type TracedFacts = Omit<CallTrace, 'held_ms' | 'sent_ms' | 'head_ms' | 'tried' | 'more_tried'>

/** A failed try: its start and end in milliseconds since 1970, and the received status, or 0. */
interface FailedTry {
  sent_at_ms: number
  failed_at_ms: number
  status: number
  /** The model's context in tokens; undefined for models without one. */
  context?: number | undefined
}

/** The end of a call, as traced. */
interface TracedEnd {
  outcome: Call['outcome']
  /** The reason why it failed or was interrupted. */
  cause?: unknown
  reported_usage?: CallTrace['told'] | undefined
  doubt?: string | undefined
}

/** How much of a trace is kept, in steps: the first that fits into MAX_TRACE_BYTES is used. */
const SIZES = [
  { tries: 8, word_chars: 200 },
  { tries: 6, word_chars: 80 },
  { tries: 3, word_chars: 40 },
] as const

/** Nearly all model ids and provider names are shorter. */
const MAX_NAME_CHARS = 80

const NO_COSTS: readonly RouteCost[] = []

/** The trace of one call. Nearly every call has only times, and allocates nothing else. */
export class Trace {
  readonly #started_ms: number
  readonly #held_ms: number
  readonly #scrub: (words: string) => string
  #sent_ms = -1
  #head_ms = -1
  #tried: TracedTry[] | undefined
  /** The failed tries that cost something at their providers. */
  failed_costs: readonly RouteCost[] = NO_COSTS
  #facts: TracedFacts | undefined

  /** @param scrub removes addresses and secrets from outside messages */
  constructor(started_ms: number, now_ms: number, scrub: (words: string) => string) {
    this.#started_ms = started_ms
    this.#held_ms = now_ms - started_ms
    this.#scrub = scrub
  }

  /** The number of failed tries at routes. */
  get failed_tries(): number {
    return this.#tried?.length ?? 0
  }

  /** Records that a route answered. If a call makes several requests, the first answer counts. */
  answered(sent_at_ms: number, head_at_ms: number): void {
    if (this.#head_ms >= 0) return
    this.#sent_ms = sent_at_ms - this.#started_ms
    this.#head_ms = head_at_ms - this.#started_ms
  }

  failed(attempt: Attempt, failure: UpstreamFailure, failed: FailedTry): void {
    const { provider, model, key_id } = attempt
    const nanos = costOfTry(attempt, failure, failed.context)
    if (nanos > 0) this.failed_costs = [...this.failed_costs, { attempt, nanos }]
    this.#tried ??= []
    this.#tried.push({
      provider: provider.name,
      model,
      key: key_id,
      at_ms: failed.sent_at_ms - this.#started_ms,
      took_ms: failed.failed_at_ms - failed.sent_at_ms,
      failure_class: failure.failure_class,
      status: failed.status || undefined,
      words: this.#scrub(failure.message),
    })
  }

  note(facts: TracedFacts): void {
    this.#facts = { ...this.#facts, ...facts }
  }

  /** Records the caller's disconnect. @param at_ms milliseconds since 1970 */
  left(at_ms: number): void {
    this.note({ left_ms: at_ms - this.#started_ms })
  }

  /** Records the end of the call. If the caller disconnected, that is not a failure. */
  ended({ outcome, cause, reported_usage, doubt }: TracedEnd): void {
    if (reported_usage !== undefined) this.note({ told: reported_usage })
    if (doubt !== undefined) this.note({ doubt })
    if (cause !== undefined && outcome !== 'cancelled') this.note({ failure: failureOf(cause, this.#scrub) })
  }

  /** Returns the stored form: at most `MAX_TRACE_BYTES` long. */
  text(): string {
    if (!this.#tried && !this.#facts) return JSON.stringify(this.#times())
    for (const { tries, word_chars } of SIZES) {
      const text = this.#write(tries, word_chars)
      if (Buffer.byteLength(text) <= MAX_TRACE_BYTES) return text
    }
    return JSON.stringify({ ...this.#times(), more_tried: this.failed_tries })
  }

  /** Returns an object, which is serialized at once: concatenation would create a string for each part. */
  #times(): CallTrace {
    const held_ms = this.#held_ms
    return this.#head_ms < 0 ? { held_ms } : { held_ms, sent_ms: this.#sent_ms, head_ms: this.#head_ms }
  }

  #write(tries: number, word_chars: number): string {
    const tried = this.#tried ?? []
    const more_tried = Math.max(0, tried.length - tries)
    return JSON.stringify({
      ...this.#times(),
      tried: tried.length === 0 ? undefined : tried.slice(0, tries).map((one) => cutTry(one, word_chars)),
      more_tried: more_tried || undefined,
      ...cutFacts(this.#facts ?? {}, word_chars),
    })
  }
}

const cutTry = ({ words = '', ...one }: TracedTry, word_chars: number): TracedTry => ({
  ...one,
  provider: one.provider.slice(0, MAX_NAME_CHARS),
  model: one.model.slice(0, MAX_NAME_CHARS),
  key: one.key.slice(0, MAX_NAME_CHARS),
  words: words === '' ? undefined : cut(words, word_chars),
})

function cutFacts({ failure, ...facts }: TracedFacts, word_chars: number): TracedFacts {
  if (!failure) return facts
  const { kind, code, message, cause } = failure
  const cut_failure: TracedFailure = { kind }
  if (code !== undefined) cut_failure.code = cut(code, MAX_NAME_CHARS)
  if (message !== undefined) cut_failure.message = cut(message, word_chars)
  if (cause !== undefined) cut_failure.cause = cut(cause, word_chars)
  return { ...facts, failure: cut_failure }
}

const cut = (words: string, chars: number): string =>
  words.length <= chars ? words : `${words.slice(0, chars - 1).toWellFormed()}…`

function failureOf(thrown: unknown, scrub: (words: string) => string): TracedFailure {
  const failure: TracedFailure = { kind: kindOf(thrown) }
  if (thrown instanceof GatewayError) {
    failure.message = thrown.message
    if (thrown.code !== undefined) failure.code = thrown.code
  }
  const cause = wordsOf(thrown instanceof GatewayError ? thrown.cause : thrown)
  if (cause !== '') failure.cause = scrub(cause)
  return failure
}

const kindOf = (thrown: unknown): string => {
  if (thrown instanceof GatewayError) return thrown.kind
  return thrown instanceof Error && thrown.name === 'UpstreamFault' ? 'upstream_failed' : 'internal'
}

function wordsOf(cause: unknown): string {
  if (cause === undefined || cause === null) return ''
  if (!(cause instanceof Error)) return String(cause)
  const words = cause instanceof GatewayError ? wordsOf(cause.cause) || cause.message : cause.message
  const is_plain = cause.name === 'Error' || cause instanceof GatewayError || cause instanceof UpstreamFault
  return is_plain ? words : `${cause.name}: ${words}`
}
