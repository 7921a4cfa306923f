// Range and filters of the Overview, in the address, and links to lists of their calls.
import { X } from 'lucide-react'
import { useViewer } from '../../console/web/app/session.tsx'
import { useZone } from '../../console/web/app/zone.ts'
import { withoutEmpty, withQuery } from '../../console/web/parts/address-state.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { Choices } from '../../console/web/parts/choices.tsx'
import {
  AccountFilter,
  DayFilters,
  FilterSelect,
  KeyFilter,
  type ListFilters,
  useFilterLists,
  useListFilters,
} from '../../console/web/parts/filter-fields.tsx'
import type { ReportOrder } from '../report/report.ts'

const RANGES = [
  { value: 'today', label: 'Today' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: 'mtd', label: 'Month to date' },
] as const
const [, , DEFAULT_RANGE] = RANGES

const GROUPS = [
  { value: 'model', label: 'By model' },
  { value: 'account', label: 'By account' },
  { value: 'price_group', label: 'By price group' },
  { value: 'key', label: 'By key' },
  { value: 'provider', label: 'By provider' },
  { value: 'route', label: 'By route' },
  { value: 'day', label: 'By day' },
] as const
export type Group = (typeof GROUPS)[number]['value']
const OPERATORS: readonly Group[] = ['account', 'price_group', 'provider', 'route']

const DEFAULTS = {
  ...{ range: DEFAULT_RANGE.value, days: '', since: '', until: '' },
  ...{ account: '', key: '', model: '', provider: '', by: 'model', order: '' },
}

export type OverviewFilters = ReturnType<typeof useOverviewFilters>

/** Returns the current filters as a query for the routes, and the functions that change them. */
export function useOverviewFilters() {
  const { side } = useViewer()
  const zone = useZone()
  const list: ListFilters<keyof typeof DEFAULTS> = useListFilters(DEFAULTS)
  const { range: chosen, days, since, until, by, order, account, key, model, provider } = list.filters
  const is_free = since !== '' || until !== ''
  // Links to the former page Usage have the number of days.
  const range = RANGES.find(({ value }) => value === (days || chosen))?.value ?? DEFAULT_RANGE.value
  const groups = GROUPS.filter(({ value }) => side === 'operator' || !OPERATORS.includes(value))
  const calls: CallsFilter = withoutEmpty({ account, key, model, provider })
  const time = is_free ? withoutEmpty({ since, until }) : { range }
  return {
    ...list,
    is_free,
    range,
    groups,
    by: groups.find(({ value }) => value === by)?.value ?? ('model' as const),
    order: order === '' ? undefined : (order as ReportOrder),
    calls,
    query: { ...calls, ...time, zone },
  }
}

export type CallsFilter = Readonly<Partial<Record<'account' | 'key' | 'model' | 'provider', string>>>

export function RangeAndFilters({ filters, range, set, clear, is_free, calls }: OverviewFilters) {
  const is_operator = useViewer().side === 'operator'
  const { since, until, account, key, model, provider } = filters
  const { keys, models, providers } = useFilterLists(account)
  return (
    <search className="filters" aria-label="Filter the figures">
      <div className="overview-choices">
        <Choices<string>
          label="Range"
          options={RANGES}
          value={is_free ? '' : range}
          onChange={(value) => set({ range: value, days: '', since: '', until: '' })}
        />
      </div>
      <DayFilters {...{ since, until, set }} />
      {is_operator && (
        <AccountFilter
          any="All accounts"
          value={account}
          onChange={(value) => set({ account: value, key: '' })}
        />
      )}
      <FilterSelect
        label="Model"
        any="All models"
        options={models.map((name) => ({ value: name, label: name }))}
        value={model}
        onChange={(value) => set({ model: value })}
      />
      {(keys.length > 0 || key !== '') && (
        <KeyFilter any="All keys" keys={keys} value={key} onChange={(value) => set({ key: value })} />
      )}
      {is_operator && (
        <FilterSelect
          label="Provider"
          any="All providers"
          options={providers.map((name) => ({ value: name, label: name }))}
          value={provider}
          onChange={(value) => set({ provider: value })}
        />
      )}
      {(is_free || Object.keys(calls).length > 0) && (
        <Button look="quiet" icon={X} onClick={clear}>
          Clear
        </Button>
      )}
    </search>
  )
}

/** A provider's figures count the calls that it answered, so its failed calls are interrupted ones. */
const OUTCOMES = {
  all: { of_provider: 'answered', of_any: 'call' },
  failed: { of_provider: 'broken', of_any: 'failed' },
} as const
export type Counted = keyof typeof OUTCOMES

/** Returns the address of the list of calls in a period. @param since, until days, or times in ISO 8601 */
export const callsHref = (since: string, until: string, filter: CallsFilter, counted: Counted = 'all') => {
  const outcome = OUTCOMES[counted][filter.provider ? 'of_provider' : 'of_any']
  return withQuery('/calls', { outcome, ...filter, since, until })
}

export const isoTime = (time_ms: number): string => new Date(time_ms).toISOString()
