// The filters of a list as its address holds them: a changed filter begins at the first page.
import { useAddressState } from './address-state.ts'
import { given } from './given.ts'

export interface ListFilters<Name extends string> {
  /** '' or the default where nothing is chosen. */
  filters: Record<Name, string>
  /** The cursor of the page in view; '' on the first. */
  cursor: string
  set: (some: Partial<Record<Name, string>>) => void
  clear: () => void
  is_filtered: boolean
  /** The filters in force, without those that are not set, for the list's route and for `ExportCsv`. */
  query: { [N in Name]?: string }
}

/**
 * Reads the filters from the address, and changes them there.
 *
 * @param defaults what holds where the address says nothing
 * @param param the name of the cursor in the address, where a page has several lists
 */
export function useListFilters<Name extends string>(
  defaults: Readonly<Record<Name, string>>,
  param = 'cursor',
): ListFilters<Name> {
  const [state, change] = useAddressState<string>({ ...defaults, [param]: '' })
  const names = Object.keys(defaults) as Name[]
  const filters = Object.fromEntries(names.map((name) => [name, state[name] ?? ''])) as Record<Name, string>
  const set = (some: Partial<Record<Name, string>>) => change({ ...some, [param]: '' })
  return {
    filters,
    cursor: state[param] ?? '',
    set,
    clear: () => set(defaults),
    is_filtered: names.some((name) => filters[name] !== defaults[name]),
    query: given(filters) as { [N in Name]?: string },
  }
}
