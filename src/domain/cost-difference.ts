// The comparison of a provider's reported cost with the cost computed from the catalogue.
import type { Nanos } from './money.ts'

/** Rounding, or a slightly outdated cost, stays within this share. */
const MAX_DIFFERENCE = 0.02

/** Whether two amounts differ so much that one may be wrong; null is an unknown amount. */
export const costsDiffer = (reported_nanos: Nanos | null, computed_nanos: Nanos | null): boolean =>
  reported_nanos !== null &&
  computed_nanos !== null &&
  Math.abs(reported_nanos - computed_nanos) > computed_nanos * MAX_DIFFERENCE
