// What a provider reported of a call's usage, where that is not what is charged: kept with the call, and told in the log.
import { type ReportedUsage, USAGE_FIELDS } from '../../domain/usage.ts'
import type { Billed } from '../../money/pricing/billed-usage.ts'
import type { Attempt } from '../../upstream/routes.ts'
import type { Held } from '../life/call.ts'
import type { ExchangeParts } from '../parts.ts'

/** A usage that is charged, and what was told where it differs. */
export interface BilledCall extends Billed {
  reported_usage?: ReportedUsage | undefined
  /** What the provider says that it took. */
  reported_cost_nanos?: number | undefined
}

/** @returns undefined if all of what is charged is as it was told, or nothing was */
export function reportedIfDifferent(
  reported: ReportedUsage | undefined,
  { usage, estimated }: Billed,
): ReportedUsage | undefined {
  if (reported === undefined) return undefined
  const differs = estimated || USAGE_FIELDS.some((field) => (reported[field] ?? 0) !== usage[field])
  if (!differs) return undefined
  const { cost_nanos: _, ...reported_usage } = reported
  return reported_usage
}

/**
 * Writes the line in the log for a usage that was not believed, once for each call. Counts that are no numbers are null.
 * @param charged in place of what was reported
 */
export function reportDoubt(
  { log }: Pick<ExchangeParts, 'log'>,
  held: Held,
  attempt: Attempt,
  doubt: { reported: unknown; why: string } | undefined,
  charged: unknown,
): void {
  if (!doubt) return
  const { request_id } = held.origin
  const { reported, why } = doubt
  log.warn(
    { request_id, model: held.order.model.id, provider: attempt.provider.name, why, reported, charged },
    'a reported usage was not believed; charged by estimate',
  )
}
