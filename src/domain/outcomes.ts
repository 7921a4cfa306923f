// The outcomes of calls, and the ones that count as failed, for pages, reports and metrics. Pure.

/**
 * The outcome of a call for which money was held. `completed`: the whole answer was sent; `cancelled`: the caller disconnected;
 * `broken`: the answer was interrupted, and the received part is charged; `failed`: there was no answer, and nothing is charged.
 * A request refused before money was held is no call, and is counted separately.
 */
export const OUTCOMES = ['completed', 'cancelled', 'broken', 'failed'] as const
export type CallOutcome = (typeof OUTCOMES)[number]

/** The outcomes in lists of requests: those of calls, and `refused`. */
export const LISTED_OUTCOMES = [...OUTCOMES, 'refused'] as const

/** The outcomes that count as failed: no answer, or an interrupted one. */
export const FAILED_OUTCOMES = ['failed', 'broken'] as const satisfies CallOutcome[]

export const hasFailed = ({ outcome }: { outcome: CallOutcome }): boolean =>
  FAILED_OUTCOMES.some((failed) => failed === outcome)
