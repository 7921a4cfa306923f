// The filters of calls as the address holds them, and as the route takes them.
import { useAddressState } from '../../parts/address-state.ts'
import { given } from '../../parts/given.ts'

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

const DEFAULTS = Object.fromEntries([...NAMES, 'cursor'].map((name) => [name, ''])) as Record<
  Name | 'cursor',
  string
>
export const OUTCOMES = ['completed', 'failed', 'broken', 'cancelled'] as const

/** The filters in force, and how they are changed: a changed filter begins at the first page. */
export function useCallFilters() {
  const [state, change] = useAddressState(DEFAULTS)
  const { cursor, ...filters } = state
  const set = (some: Partial<Record<Name, string>>) => change({ ...some, cursor: '' })
  const clear = () => set(Object.fromEntries(NAMES.map((name) => [name, ''])))
  return { filters, cursor, set, clear, is_filtered: NAMES.some((name) => filters[name] !== '') }
}

export type Filters = ReturnType<typeof useCallFilters>

export const numberIn = (text: string): number | undefined => (text === '' ? undefined : Number(text))

/** As the route takes them: what is not set is left out. */
export function queryOf({ filters, cursor }: Pick<Filters, 'filters' | 'cursor'>) {
  const { account, key, outcome, ...texts } = filters
  return {
    ...given(texts),
    account: numberIn(account),
    key: numberIn(key),
    outcome: OUTCOMES.find((each) => each === outcome),
    cursor: numberIn(cursor),
  }
}
