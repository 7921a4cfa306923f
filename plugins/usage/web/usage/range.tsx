// The range and the filters of the page Usage, all of them in the address.
import { X } from 'lucide-react'
import { useViewer } from '../../../console/web/app/session.tsx'
import { Button } from '../../../console/web/parts/button.tsx'
import { Choices } from '../../../console/web/parts/choices.tsx'
import {
  AccountFilter,
  Choice,
  DayFilters,
  KeyFilter,
  useFilterLists,
} from '../../../console/web/parts/filter-fields.tsx'
import type { UsageFilters } from './usage-answer.ts'

const RANGES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const

export function RangeAndFilters({ filters, set, clear }: UsageFilters) {
  const is_operator = useViewer().role === 'operator'
  const { account, model, key, days, since, until } = filters
  const { keys, models } = useFilterLists(account)
  const is_free = since !== '' || until !== ''
  return (
    <search className="filters usage-filters" aria-label="Filter usage">
      <Choices<string>
        label="Range"
        options={RANGES}
        value={is_free ? '' : days}
        onChange={(value) => set({ days: value, since: '', until: '' })}
      />
      <DayFilters {...{ since, until, set }} />
      {is_operator && (
        <AccountFilter
          any="All accounts"
          value={account}
          onChange={(value) => set({ account: value, key: '' })}
        />
      )}
      <Choice
        label="Model"
        any="All models"
        options={models.map((name) => ({ value: name, label: name }))}
        value={model}
        onChange={(value) => set({ model: value })}
      />
      {(keys.length > 0 || key !== '') && (
        <KeyFilter any="All keys" keys={keys} value={key} onChange={(value) => set({ key: value })} />
      )}
      {(is_free || [account, model, key].some((value) => value !== '')) && (
        <Button look="quiet" icon={X} onClick={clear}>
          Clear
        </Button>
      )}
    </search>
  )
}
