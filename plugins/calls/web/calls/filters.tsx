// The filters of the list of calls: all of them in the address, the seldom ones folded.
import { SlidersHorizontal, X } from 'lucide-react'
import { useState } from 'react'
import { useViewer } from '../../../console/web/app/session.tsx'
import { Button } from '../../../console/web/parts/button.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import {
  AccountFilter,
  Choice,
  DayFilters,
  KeyFilter,
  TextFilter,
  useFilterLists,
} from '../../../console/web/parts/filter-fields.tsx'
import { outcomeFilterWord } from '../../../console/web/parts/outcome.tsx'
import { type Filters, FOLDED, type Name, OUTCOMES } from './filter-state.ts'

type Option = { value: string; label: string }

const named = (all: readonly string[]): Option[] => all.map((name) => ({ value: name, label: name }))

export function CallFilters(filters: Filters) {
  const { role } = useViewer()
  const { filters: chosen, set, clear, is_filtered } = filters
  const folded_in_use = FOLDED.filter((name) => chosen[name] !== '').length
  const [is_open, setOpen] = useState(folded_in_use > 0)
  const { keys, models, providers } = useFilterLists(chosen.account)
  return (
    <search className="call-filters" aria-label="Filter calls">
      <div className="row">
        {role === 'operator' && (
          <AccountFilter
            any="Any account"
            value={chosen.account}
            onChange={(value) => set({ account: value, key: '' })}
          />
        )}
        <NamedChoice name="model" label="Model" options={named(models)} {...filters} />
        <NamedChoice
          name="outcome"
          label="Outcome"
          options={OUTCOMES.map((value) => ({ value, label: outcomeFilterWord(value) }))}
          {...filters}
        />
        <Button icon={SlidersHorizontal} aria-expanded={is_open} onClick={() => setOpen(!is_open)}>
          {folded_in_use > 0 ? `More filters (${folded_in_use})` : 'More filters'}
        </Button>
        {is_filtered && (
          <Button look="quiet" icon={X} onClick={clear}>
            Clear
          </Button>
        )}
      </div>
      {is_open && <FoldedFilters {...filters} keys={keys} providers={providers} />}
    </search>
  )
}

type FoldedProps = Filters & Pick<ReturnType<typeof useFilterLists>, 'keys' | 'providers'>

function FoldedFilters({ keys, providers, ...filters }: FoldedProps) {
  const { role } = useViewer()
  const { filters: chosen, set } = filters
  return (
    <div className="call-filters-more">
      {(role !== 'operator' || chosen.account !== '') && (
        <Field label="Key">
          <KeyFilter any="Any key" keys={keys} value={chosen.key} onChange={(key) => set({ key })} />
        </Field>
      )}
      {role === 'operator' && (
        <Field label="Provider">
          <NamedChoice name="provider" label="Provider" options={named(providers)} {...filters} />
        </Field>
      )}
      <TextFilter
        label="Status"
        placeholder="429 or 4xx"
        value={chosen.status}
        onSet={(value) => set({ status: value })}
      />
      <TextFilter
        label="Cost from"
        unit="USD"
        value={chosen.min_cost}
        onSet={(value) => set({ min_cost: value })}
      />
      <DayFilters {...chosen} set={set} />
    </div>
  )
}

interface NamedChoiceProps extends Pick<Filters, 'filters' | 'set'> {
  name: Name
  label: string
  options: readonly Option[]
}

const NamedChoice = ({ name, label, options, filters, set }: NamedChoiceProps) => (
  <Choice
    label={label}
    any={`Any ${label.toLowerCase()}`}
    options={options}
    value={filters[name]}
    onChange={(value) => set({ [name]: value })}
  />
)
