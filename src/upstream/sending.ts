// The sending of a call to the routes of its model, which each kind of call implements.
import type { GatewayError } from '../domain/errors.ts'
import type { UpstreamFailure } from '../protocols/facts.ts'
import type { Attempt } from './routes.ts'
import type { UpstreamRequest } from './transport.ts'

export interface Sending<T> {
  /** Whether an attempt waits for a first event alone, within `first_byte_timeout_ms`; otherwise for a whole answer, within `call_timeout_ms`. */
  readonly streams: boolean
  /** Whether an answer may be read on after `open`, as one that streams may; otherwise `open` reads all of it. */
  readonly is_read_on?: boolean
  /**
   * Writes the request for one attempt.
   * @throws GatewayError if this provider's protocol cannot carry the request: another may
   */
  write(attempt: Attempt): UpstreamRequest | Promise<UpstreamRequest>
  /**
   * Reads an answer as far as it must be there before the caller gets a byte.
   * @param onProgress called for each sign of life before the answer: the attempt's time starts anew
   * @throws UpstreamFault for what is garbled; ReportedFailure for an error under status 200
   */
  open(response: Response, attempt: Attempt, onProgress: () => void): Promise<T>
  /** Classifies a refusal, where the provider's protocol does not. */
  readFailure?(attempt: Attempt, status: number, headers: Headers, body: string): UpstreamFailure
  /** The most that one attempt may take, where the provider allows it more. */
  readonly timeout_ms?: number
  /** The seed of the call's session, which keeps it at one route and key (`seedOf`); undefined without one. */
  readonly seed?: number | undefined
  /** The attempts to make before all others, wherever they stand. */
  readonly isPreferred?: ((attempt: Attempt) => boolean) | undefined
  /** Whether a refused request is changed, and worth a second attempt at the same route. */
  amend?(attempt: Attempt, failure: UpstreamFailure): boolean
  /** The caller's error for a refused request, where not in the provider's own words. */
  refused?(attempt: Attempt, failure: UpstreamFailure): GatewayError | undefined
  /** Whether the request was refused for what this route alone may be too small for: then others are tried. */
  isTooSmall?(failure: UpstreamFailure): boolean
}
