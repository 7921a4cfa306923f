// How calls end, and which of them count as failed: the one definition for pages, reports and metrics. Pure.

/**
 * How a call ended that was let in, which means that money was held for it. `completed`: the whole answer was sent;
 * `cancelled`: its caller left; `broken`: the answer had begun, broke off, and costs what arrived; `failed`: there was no
 * answer, and it costs nothing. A request that was refused before money was held is no call: it is counted apart.
 */
export const OUTCOMES = ['completed', 'cancelled', 'broken', 'failed'] as const
export type CallOutcome = (typeof OUTCOMES)[number]

/** How requests are listed: calls by how they ended, and beside them those that were refused. */
export const LISTED_OUTCOMES = [...OUTCOMES, 'refused'] as const

/** The failed outcomes wherever failed calls are counted: calls without an answer, and those that broke off. */
export const FAILED_OUTCOMES = ['failed', 'broken'] as const satisfies CallOutcome[]

/** Whether a call counts as failed: it has no answer, or its answer broke off. */
export const hasFailed = ({ outcome }: { outcome: CallOutcome }): boolean =>
  FAILED_OUTCOMES.some((failed) => failed === outcome)
