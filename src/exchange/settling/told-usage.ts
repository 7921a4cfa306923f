// What a provider reported of a call's usage, where that is not what is charged: kept with the call.
import { type ReportedUsage, USAGE_FIELDS } from '../../domain/usage.ts'
import type { Billed } from '../../pricing/billed-usage.ts'

/** A usage that is charged, and what was told where it differs. */
export interface BilledCall extends Billed {
  told?: ReportedUsage | undefined
  /** What the provider says that it took. */
  reported_cost_nanos?: number | undefined
}

/** @returns undefined if all of what is charged is as it was told, or nothing was */
export function toldBeside(
  reported: ReportedUsage | undefined,
  { usage, estimated }: Billed,
): ReportedUsage | undefined {
  if (reported === undefined) return undefined
  const differs = estimated || USAGE_FIELDS.some((field) => (reported[field] ?? 0) !== usage[field])
  if (!differs) return undefined
  const { cost_nanos: _, ...told } = reported
  return told
}
