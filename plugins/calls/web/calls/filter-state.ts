// The filters of calls as the address holds them, and as the route takes them.
import { type ListFilters, useListFilters } from '../../../console/web/parts/filter-fields.tsx'

const NAMES = [
  'account',
  'key',
  'model',
  'provider',
  'outcome',
  'status',
  'min_cost',
  'since',
  'until',
] as const
export const FOLDED = ['key', 'provider', 'status', 'min_cost', 'since', 'until'] as const
export type Name = (typeof NAMES)[number]

const DEFAULTS = Object.fromEntries(NAMES.map((name) => [name, ''])) as Record<Name, string>
export const OUTCOMES = ['completed', 'failed', 'broken', 'cancelled', 'refused', 'call'] as const

export type Filters = ListFilters<Name>

/** The filters in force, and how they are changed. */
export const useCallFilters = (): Filters => useListFilters(DEFAULTS)

/** As the route takes them: what is not set is left out. */
export const queryOf = ({ query: { outcome, ...query } }: Filters) => ({
  ...query,
  outcome: OUTCOMES.find((each) => each === outcome),
})
