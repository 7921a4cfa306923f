// The range and the filters of the page Usage, all of them in the address.
import { X } from 'lucide-react'
import { api } from '../../app/client.ts'
import { useAsk } from '../../app/query.ts'
import { useViewer } from '../../app/session.tsx'
import { Button } from '../../parts/button.tsx'
import { Choices } from '../../parts/choices.tsx'
import { Choice, DayFilter } from '../../parts/filter-fields.tsx'
import type { UsageFilters } from './usage-answer.ts'

const RANGES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const

export function RangeAndFilters({ filters, set, clear }: UsageFilters) {
  const is_operator = useViewer().role === 'operator'
  const { account, model, key, days, since, until } = filters
  const account_asked = account || undefined
  const { data } = useAsk(['call-filters', account_asked], () =>
    api['call-filters'].get({ query: { account: account_asked } }),
  )
  const { accounts = [], keys = [], models = [] } = data ?? {}
  const is_free = since !== '' || until !== ''
  return (
    <search className="filters usage-filters" aria-label="Filter usage">
      <Choices<string>
        label="Range"
        options={RANGES}
        value={is_free ? '' : days}
        onChange={(value) => set({ days: value, since: '', until: '' })}
      />
      <DayFilter label="From day (UTC)" value={since} onSet={(value) => set({ since: value })} />
      <DayFilter label="To day (UTC)" value={until} onSet={(value) => set({ until: value })} />
      {is_operator && (
        <Choice
          label="Account"
          any="All accounts"
          options={accounts.map(({ name }) => ({ value: name, label: name }))}
          value={accounts.find(({ id }) => String(id) === account)?.name ?? account}
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
        <Choice
          label="Key"
          any="All keys"
          options={keys.map(({ name, prefix }) => ({ value: prefix, label: `${name} (${prefix}…)` }))}
          value={keys.find(({ id }) => String(id) === key)?.prefix ?? key}
          onChange={(value) => set({ key: value })}
        />
      )}
      {(is_free || [account, model, key].some((value) => value !== '')) && (
        <Button look="quiet" icon={X} onClick={clear}>
          Clear
        </Button>
      )}
    </search>
  )
}
