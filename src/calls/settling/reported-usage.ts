// A provider's reported usage that differs from the charged one: stored with the call, and logged.
import { type ReportedUsage, USAGE_FIELDS } from '../../domain/usage.ts'
import type { Billed } from '../../money/pricing/billed-usage.ts'
import type { Attempt } from '../../upstream/routes.ts'
import type { Held } from '../life/call.ts'
import type { CallParts } from '../parts.ts'

/** The charged usage, and the reported one if it differs. */
export interface BilledCall extends Billed {
  reported_usage?: ReportedUsage | undefined
  /** The cost that the provider reported. */
  reported_cost_nanos?: number | undefined
}

/** @returns undefined if the charged usage equals the report, or if nothing was reported */
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
 * Logs a usage that was not accepted, once for each call. Counts that are not numbers become null.
 * @param charged the usage charged instead
 */
export function reportDoubt(
  { log }: Pick<CallParts, 'log'>,
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
    'an invalid usage report was ignored; charged by estimate',
  )
}
