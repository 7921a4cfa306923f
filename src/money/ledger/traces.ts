// The trace of a call: what its record says beside usage and cost, as bounded JSON in one column.

/** A try at a route that failed. Whether another one followed is told by the next one, or by the call's own route. */
export interface TracedTry {
  provider: string
  /** The provider's own id of the model. */
  model: string
  /** Which of the provider's keys, as the log names it: `<provider>#<number>`. */
  key: string
  /** When its request went out, since the call was let in. */
  at_ms: number
  took_ms: number
  failure_class: string
  /** The HTTP status that came; absent if none did. */
  status?: number | undefined
  /** The provider's own words, without addresses and secrets, cut off where they are long. */
  words?: string | undefined
}

/** Why a call failed or broke off. */
export interface TracedFailure {
  /** The kind of the error that its caller was told; `upstream_failed` for a stream that its provider broke off. */
  kind: string
  code?: string
  /** The message that its caller got; absent if it was sent inside a stream. */
  message?: string
  /** For the operator alone, without addresses and secrets. */
  cause?: string
}

/** Facts of a call that its record lacks. All times are milliseconds since the call was let in. */
export interface CallTrace {
  /** Its money was held. */
  held_ms?: number
  /** The request that was answered went out. Of several that make up one call, the first. */
  sent_ms?: number
  /** The head of the answer came. */
  head_ms?: number
  /** Its caller left. */
  left_ms?: number
  tried?: TracedTry[]
  /** Failed tries for which there was no room in `tried`. */
  more_tried?: number
  /** The most that it could cost, where less than that was held. */
  ceiling_nanos?: number
  /** The output limit that was sent in place of the caller's, in tokens. */
  output_limit?: number
  /** The provider's report, where it differs from the charge. Counts that are no numbers are null. */
  told?: Readonly<Record<string, number | null | undefined>>
  /** Why what was told was not believed. */
  doubt?: string
  /** The first characters of the SHA-256 of its Idempotency-Key, in hex. */
  idempotency_key_sha256?: string
  failure?: TracedFailure
}

/** No trace is longer. */
export const MAX_TRACE_BYTES = 2_048

/** @param text as it was stored; empty for a call of a version that kept no traces */
export const readTrace = (text: string): CallTrace => (text === '' ? {} : JSON.parse(text))
