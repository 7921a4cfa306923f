// Provider failures: those reported under status 200, and the caller's error for each failure class.
import {
  type GatewayError,
  invalidRequest,
  rateLimited,
  UpstreamFault,
  upstreamFailed,
  upstreamOverloaded,
  upstreamTimeout,
} from '../domain/errors.ts'
import type { UpstreamFailure } from '../protocols/facts.ts'
import type { FailureClass } from '../protocols/failure-class.ts'
import { reportsError } from '../protocols/failures.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { type JsonObject, parseObject } from '../protocols/wire/json.ts'
import { isTooDeep, MAX_DEPTH } from '../protocols/wire/json-text.ts'

/** A failure that a provider reports under status 200, in a whole answer or as an event of a stream. */
export class ReportedFailure extends UpstreamFault {
  readonly failure: UpstreamFailure

  constructor(failure: UpstreamFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/** @param text the answer, or the data of the event, as JSON; it may be truncated */
export const reportedFailure = ({ readFailure }: Pick<Protocol, 'readFailure'>, text: string) =>
  new ReportedFailure(readFailure(200, new Headers(), text))

/** The error for JSON that is nested so deep that reading it could exhaust the stack. */
export const tooDeep = (what: 'answer' | 'event') =>
  new UpstreamFault(`the upstream sent an ${what} that is nested deeper than ${MAX_DEPTH} levels`)

/**
 * Parses a whole answer.
 * @throws UpstreamFault if it was truncated or is nested too deep; ReportedFailure if it reports an error
 */
export function readReported(protocol: Pick<Protocol, 'readFailure'>, text: string): JsonObject {
  if (isTooDeep(text)) throw tooDeep('answer')
  const answer = parseObject(text)
  if (!answer) throw new UpstreamFault('the upstream sent no JSON object')
  if (reportsError(answer)) throw reportedFailure(protocol, text)
  return answer
}

/**
 * The caller's error if no route answered. The last failure decides; a rate limit is reported only if each attempt met one. Without
 * the provider's own retry-after time the error has none: SDKs then wait by their own rule.
 * @param failures of all attempts, in order
 */
export function allRoutesFailed(failures: readonly UpstreamFailure[]): GatewayError {
  const failure =
    failures.findLast(({ failure_class }) => failure_class !== 'rate_limited') ?? failures.at(-1)
  const cause = failure?.message
  const retry_after_s = failure?.retry_after_s
  switch (failure?.failure_class) {
    case 'rate_limited':
      return rateLimited(
        "The model's provider limits its request rate. Nothing was charged; please retry after a moment.",
        { retry_after_s, cause },
      )
    case 'overloaded':
      return upstreamOverloaded(
        "The model's provider is overloaded. Nothing was charged; please retry after a moment.",
        { retry_after_s, cause },
      )
    case 'timed_out':
      return upstreamTimeout(
        "The model's provider did not answer in time. Nothing was charged; please retry, with a shorter request if it recurs.",
        { cause },
      )
    default:
      return upstreamFailed("The model's provider failed to answer. Nothing was charged; please retry.", {
        cause,
      })
  }
}

/** The error and message for a provider's failure inside a stream. */
const BROKEN: Readonly<
  Record<Exclude<FailureClass, 'bad_request'>, readonly [error: typeof upstreamFailed, what: string]>
> = {
  rate_limited: [rateLimited, "The model's provider interrupted its answer because of its rate limit."],
  overloaded: [upstreamOverloaded, "The model's provider is overloaded and interrupted its answer."],
  timed_out: [upstreamTimeout, "The model's provider did not finish its answer in time."],
  bad_key: [upstreamFailed, "The model's provider interrupted its answer."],
  upstream_error: [upstreamFailed, "The model's provider interrupted its answer."],
}

interface BrokenStream {
  /** The provider's report; undefined if the stream only stopped. */
  failure: UpstreamFailure | undefined
  /** Whether the caller is charged anything. */
  is_charged: boolean
  /** For the log. */
  cause: unknown
  publicWords: (message: string) => string
}

/** The error for a stream that broke after it began, by the class of the provider's failure. */
export function interruptedStreamError({
  failure,
  is_charged,
  cause,
  publicWords,
}: BrokenStream): GatewayError {
  const failure_class = failure?.failure_class ?? 'upstream_error'
  if (failure && failure_class === 'bad_request') return refusedRequest(failure, publicWords, cause)
  const [error, what] = BROKEN[failure_class === 'bad_request' ? 'upstream_error' : failure_class]
  const charged = is_charged ? 'Only what was delivered is charged' : 'Nothing was charged'
  return error(`${what} ${charged}; please retry.`, { cause })
}

/** The error for a refused request, in the provider's own words as far as callers may read them. */
export const refusedRequest = (
  { message, code }: UpstreamFailure,
  publicWords: (message: string) => string,
  cause?: unknown,
): GatewayError => invalidRequest(publicWords(message), { code, cause, is_quoted: true })
