// The interface between dispatch and a kind of call: how to write its requests and open its answers.
import type { GatewayError } from '../domain/errors.ts'
import type { UpstreamFailure } from '../protocols/facts.ts'
import type { Attempt } from './routes.ts'
import type { UpstreamRequest } from './transport.ts'

export interface Sending<T> {
  /** Whether an attempt waits only for a first event, within `first_byte_timeout_ms`; otherwise for a whole answer, within `call_timeout_ms`. */
  readonly streams: boolean
  /** Whether the answer may be read on after `open`, as a stream is; otherwise `open` reads all of it. */
  readonly is_read_on?: boolean
  /**
   * Writes the request for one attempt.
   * @throws GatewayError if this provider's protocol cannot express the request; another provider's may
   */
  write(attempt: Attempt): UpstreamRequest | Promise<UpstreamRequest>
  /**
   * Reads the part of an answer that must be there before the caller gets a byte.
   * @param onProgress called for each sign of life before the answer: the attempt's time limit starts again
   * @throws UpstreamFault for a garbled answer; ReportedFailure for an error under status 200
   */
  open(response: Response, attempt: Attempt, onProgress: () => void): Promise<T>
  /** Classifies a refusal, if the provider's protocol does not. */
  readFailure?(attempt: Attempt, status: number, headers: Headers, body: string): UpstreamFailure
  /** The time limit of one attempt, if it is lower than the provider's. */
  readonly timeout_ms?: number
  /** The seed of the call's session, which keeps the session at one route and key (`seedOf`); undefined without one. */
  readonly seed?: number | undefined
  /** Whether to make an attempt before all others. */
  readonly isPreferred?: ((attempt: Attempt) => boolean) | undefined
  /** Changes a refused request if that makes a second attempt at the same route worthwhile. @returns whether it did */
  amend?(attempt: Attempt, failure: UpstreamFailure): boolean
  /** The caller's error for a refused request, if not the provider's own message. */
  refused?(attempt: Attempt, failure: UpstreamFailure): GatewayError | undefined
  /** Whether the request may only be too large for this route: then others are tried. */
  isTooSmall?(failure: UpstreamFailure): boolean
}
