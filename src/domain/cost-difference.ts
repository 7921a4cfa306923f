// The difference between what a provider says that it took and what the catalogue's cost comes to.
import type { Nanos } from './money.ts'

/** A difference that rounding makes, or a cost that is not quite up to date. */
const MAX_DIFFERENCE = 0.02

/** Whether two amounts are so far apart that one of them may be wrong; null is an amount that is not known. */
export const costsDiffer = (reported_nanos: Nanos | null, computed_nanos: Nanos | null): boolean =>
  reported_nanos !== null &&
  computed_nanos !== null &&
  Math.abs(reported_nanos - computed_nanos) > computed_nanos * MAX_DIFFERENCE
