// The filters of the list of calls: all of them in the address, the seldom ones folded.
import { SlidersHorizontal, X } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../app/client.ts'
import { useAsk } from '../../app/query.ts'
import { useViewer } from '../../app/session.tsx'
import { useAddressState } from '../../parts/address-state.ts'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { TextInput, UnitInput } from '../../parts/input.tsx'
import { outcomeWord } from '../../parts/outcome.tsx'
import { Select } from '../../parts/select.tsx'

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
const FOLDED = ['key', 'provider', 'status', 'min_cost', 'since', 'until'] as const
type Name = (typeof NAMES)[number]

const DEFAULTS = Object.fromEntries([...NAMES, 'cursor'].map((name) => [name, ''])) as Record<
  Name | 'cursor',
  string
>
const OUTCOMES = ['completed', 'failed', 'broken', 'cancelled'] as const
const ANY = ''

/** The filters in force, and how they are changed: a changed filter begins at the first page. */
export function useCallFilters() {
  const [state, change] = useAddressState(DEFAULTS)
  const { cursor, ...filters } = state
  const set = (some: Partial<Record<Name, string>>) => change({ ...some, cursor: '' })
  const clear = () => set(Object.fromEntries(NAMES.map((name) => [name, ''])))
  return { filters, cursor, set, clear, is_filtered: NAMES.some((name) => filters[name] !== '') }
}

type Filters = ReturnType<typeof useCallFilters>

/** As the route takes them: what is not set is left out. */
export function queryOf({ filters, cursor }: Pick<Filters, 'filters' | 'cursor'>) {
  const { account, key, outcome, ...texts } = filters
  const is_set = Object.entries(texts).filter(([, value]) => value !== '')
  return {
    ...Object.fromEntries(is_set),
    ...(account === '' ? {} : { account: Number(account) }),
    ...(key === '' ? {} : { key: Number(key) }),
    ...(OUTCOMES.includes(outcome as never) ? { outcome: outcome as (typeof OUTCOMES)[number] } : {}),
    ...(cursor === '' ? {} : { cursor: Number(cursor) }),
  }
}

export function CallFilters({ filters, set, clear, is_filtered }: Filters) {
  const { role } = useViewer()
  const folded_in_use = FOLDED.filter((name) => filters[name] !== '').length
  const [is_open, setOpen] = useState(folded_in_use > 0)
  const account = filters.account === '' ? {} : { account: Number(filters.account) }
  const lists = useAsk(['call-filters', filters.account], () => api['call-filters'].get({ query: account }))
  const { accounts = [], keys = [], models = [], providers = [] } = lists.data ?? {}
  const numbered = (all: readonly { id: number; name: string }[]) =>
    all.map(({ id, name }) => ({ value: String(id), label: name }))
  const named = (all: readonly string[]) => all.map((name) => ({ value: name, label: name }))
  const choice = (name: Name, label: string, options: readonly { value: string; label: string }[]) => (
    <Choice
      label={label}
      any={`Any ${label.toLowerCase()}`}
      options={options}
      value={filters[name]}
      onChange={(value) => set({ [name]: value })}
    />
  )
  return (
    <search className="call-filters" aria-label="Filter calls">
      <div className="row">
        {role === 'operator' && (
          <Choice
            label="Account"
            any="Any account"
            options={numbered(accounts)}
            value={filters.account}
            onChange={(value) => set({ account: value, key: '' })}
          />
        )}
        {choice('model', 'Model', named(models))}
        {choice(
          'outcome',
          'Outcome',
          OUTCOMES.map((value) => ({ value, label: outcomeWord(value) })),
        )}
        <Button icon={SlidersHorizontal} aria-expanded={is_open} onClick={() => setOpen(!is_open)}>
          {folded_in_use > 0 ? `More filters (${folded_in_use})` : 'More filters'}
        </Button>
        {is_filtered && (
          <Button look="quiet" icon={X} onClick={clear}>
            Clear
          </Button>
        )}
      </div>
      {is_open && (
        <div className="call-filters-more">
          {(role !== 'operator' || filters.account !== '') && (
            <Field label="Key">
              {choice(
                'key',
                'Key',
                keys.map(({ id, name, prefix }) => ({ value: String(id), label: `${name} (${prefix}…)` })),
              )}
            </Field>
          )}
          {role === 'operator' && (
            <Field label="Provider">{choice('provider', 'Provider', named(providers))}</Field>
          )}
          <TextFilter
            label="Status"
            placeholder="429 or 4xx"
            value={filters.status}
            onSet={(value) => set({ status: value })}
          />
          <TextFilter
            label="Cost from"
            unit="USD"
            value={filters.min_cost}
            onSet={(value) => set({ min_cost: value })}
          />
          <DayFilter label="From day (UTC)" value={filters.since} onSet={(value) => set({ since: value })} />
          <DayFilter label="To day (UTC)" value={filters.until} onSet={(value) => set({ until: value })} />
        </div>
      )}
    </search>
  )
}

interface ChoiceProps {
  label: string
  /** What stands there while nothing is chosen. */
  any: string
  options: readonly { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
}

/** What the address names stays chosen, also where no list has it. */
function Choice({ label, any, options, value, onChange }: ChoiceProps) {
  const is_known = value === ANY || options.some((option) => option.value === value)
  const all = [{ value: ANY, label: any }, ...options, ...(is_known ? [] : [{ value, label: value }])]
  return <Select inline aria-label={label} options={all} value={value} onChange={onChange} />
}

interface TextFilterProps {
  label: string
  value: string
  placeholder?: string
  unit?: string
  onSet: (value: string) => void
}

/** Takes effect by Enter, or when it is left. */
function TextFilter({ label, value, placeholder, unit, onSet }: TextFilterProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const done = () => {
    if (typed !== null && typed.trim() !== value) onSet(typed.trim())
    setTyped(null)
  }
  const props = {
    value: typed ?? value,
    onChange: setTyped,
    onBlur: done,
    onKeyDown: ({ key }: { key: string }) => key === 'Enter' && done(),
    placeholder,
  }
  return (
    <Field label={label}>
      {unit === undefined ? <TextInput {...props} /> : <UnitInput unit={unit} {...props} />}
    </Field>
  )
}

const DayFilter = ({ label, value, onSet }: Pick<TextFilterProps, 'label' | 'value' | 'onSet'>) => (
  <Field label={label}>
    <TextInput type="date" value={value.slice(0, 10)} onChange={onSet} />
  </Field>
)
