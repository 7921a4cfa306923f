// The trace of a call: the facts of its record besides usage and cost, as bounded JSON in one column.

/** A failed try at a route. The next try, or the call's own route, shows whether another one followed. */
export interface TracedTry {
  provider: string
  /** The provider's id of the model. */
  model: string
  /** The provider's key, in the log's form: `<provider>#<number>`. */
  key: string
  /** When its request was sent, since the call's admission. */
  at_ms: number
  took_ms: number
  failure_class: string
  /** The received HTTP status; absent if none was received. */
  status?: number | undefined
  /** The provider's message without addresses and secrets, cut if it is long. */
  words?: string | undefined
}

/** Why a call failed or was interrupted. */
export interface TracedFailure {
  /** The kind of the error that its caller got; `upstream_failed` for a stream that its provider interrupted. */
  kind: string
  code?: string
  /** The message that its caller got; absent if it was sent inside a stream. */
  message?: string
  /** Only for the operator, without addresses and secrets. */
  cause?: string
}

/** Facts of a call that its other columns lack. All times are milliseconds since the call's admission. */
export interface CallTrace {
  /** The hold was made. */
  held_ms?: number
  /** The answered request was sent. If a call makes several requests, the first. */
  sent_ms?: number
  /** The head of the answer arrived. */
  head_ms?: number
  /** The caller disconnected. */
  left_ms?: number
  tried?: TracedTry[]
  /** The number of failed tries that did not fit into `tried`. */
  more_tried?: number
  /** The most that the call could cost, if less than that was held. */
  ceiling_nanos?: number
  /** The output limit that was sent instead of the caller's, in tokens. */
  output_limit?: number
  /** The provider's report, if it differs from the charge. Counts that are not numbers are null. `told` is its stored name. */
  told?: Readonly<Record<string, number | null | undefined>>
  /** Why the report was not accepted. */
  doubt?: string
  /** The first characters of the SHA-256 of its Idempotency-Key, in hex. */
  idempotency_key_sha256?: string
  failure?: TracedFailure
}

/** The maximum length of a trace. */
export const MAX_TRACE_BYTES = 2_048

/** @param text as stored; empty for a call of a version without traces */
export const readTrace = (text: string): CallTrace => (text === '' ? {} : JSON.parse(text))
