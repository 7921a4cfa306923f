// Filters of the list of calls, in the address, the rare ones folded; and the sums of the matching calls.
import { SlidersHorizontal, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { type AnswerOf, api } from '../../../console/web/app/client.ts'
import { useViewer } from '../../../console/web/app/session.tsx'
import { withQuery } from '../../../console/web/parts/address-state.ts'
import { briefCount, count, countNoun, share } from '../../../console/web/parts/amounts.ts'
import { Button } from '../../../console/web/parts/button.tsx'
import { capital } from '../../../console/web/parts/capital.ts'
import { Field } from '../../../console/web/parts/field.tsx'
import {
  AccountFilter,
  DayFilters,
  FilterSelect,
  KeyFilter,
  type ListFilters,
  OptionFilter,
  TextFilter,
  useFilterLists,
  useListFilters,
} from '../../../console/web/parts/filter-fields.tsx'
import { ListSums } from '../../../console/web/parts/list-sums.tsx'
import { MarginWords } from '../../../console/web/parts/margin-words.tsx'
import { Money } from '../../../console/web/parts/money.tsx'
import { FAILED_HINT, outcomeFilterWord } from '../../../console/web/parts/outcome.tsx'
import { chosenValue } from '../../../console/web/parts/select.tsx'

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
const FOLDED = ['key', 'provider', 'status', 'min_cost'] as const
type Name = (typeof NAMES)[number]

const DEFAULTS = Object.fromEntries(NAMES.map((name) => [name, ''])) as Record<Name, string>
const OUTCOMES = ['completed', 'failed', 'broken', 'cancelled', 'refused', 'call', 'answered'] as const
const OUTCOME_OPTIONS = [
  { value: '', label: 'Any outcome' },
  ...OUTCOMES.map((value) => ({ value, label: capital(outcomeFilterWord(value)) })),
] as const

type Filters = ListFilters<Name>

export const useCallFilters = (): Filters => useListFilters(DEFAULTS)

export const queryOf = ({ query: { outcome, ...query } }: Filters) => ({
  ...query,
  outcome: chosenValue(OUTCOME_OPTIONS, outcome),
})

type CallSums = AnswerOf<(typeof api)['call-sums']['get']>

export function FilterSums(filters: Filters) {
  const query = queryOf(filters)
  return (
    <ListSums subject={['call-sums', query]} call={() => api['call-sums'].get({ query })}>
      {(sums) =>
        query.outcome === 'refused' ? (
          <RefusedSum refused={sums.refused} />
        ) : (
          <CallsSum sums={sums} filters={filters.filters} />
        )
      }
    </ListSums>
  )
}

function CallsSum({ sums, filters }: { sums: CallSums } & Pick<Filters, 'filters'>) {
  const { side } = useViewer()
  const hrefOf = (outcome: string) => withQuery('/calls', { ...filters, outcome })
  const { calls, refused, failed, images, margin_nanos } = sums
  return (
    <>
      <b>{countNoun(calls, 'call')}</b>
      {!!refused && <Link href={hrefOf('refused')}>{count(refused)} refused</Link>}
      {failed > 0 && (
        <span>
          <Link href={hrefOf(filters.outcome === 'answered' ? 'broken' : 'failed')} title={FAILED_HINT}>
            {count(failed)} failed
          </Link>{' '}
          ({share(failed / calls)})
        </span>
      )}
      <span>
        tokens {briefCount(sums.input_tokens)} in, {briefCount(sums.output_tokens)} out
      </span>
      {images > 0 && <span>{countNoun(images, 'image')}</span>}
      <span>
        {side === 'operator' ? 'revenue ' : 'charged '}
        <Money nanos={sums.cost_nanos} />
      </span>
      {margin_nanos !== null && (
        <span>
          margin <Money nanos={margin_nanos} /> (<MarginWords {...sums} revenue_nanos={sums.cost_nanos} />)
        </span>
      )}
    </>
  )
}

const RefusedSum = ({ refused }: { refused: number | null }) => (
  <>
    {refused !== null && <b>{count(refused)} refused</b>}
    <span className="soft">
      All are counted. The list has the first 20 of an hour for each account and reason, for 30 days.
    </span>
  </>
)

type Option = { value: string; label: string }

const named = (all: readonly string[]): Option[] => all.map((name) => ({ value: name, label: name }))

export function CallFilters(filters: Filters) {
  const { side } = useViewer()
  const { filters: chosen, set, clear, is_filtered } = filters
  const folded_in_use = FOLDED.filter((name) => chosen[name] !== '').length
  const [is_open, setOpen] = useState(folded_in_use > 0)
  const { keys, models, providers } = useFilterLists(chosen.account)
  return (
    <search className="call-filters" aria-label="Filter calls">
      <div className="row">
        {side === 'operator' && (
          <AccountFilter
            any="Any account"
            value={chosen.account}
            onChange={(value) => set({ account: value, key: '' })}
          />
        )}
        <NamedChoice name="model" label="Model" options={named(models)} {...filters} />
        <OptionFilter
          label="Outcome"
          options={OUTCOME_OPTIONS}
          value={chosen.outcome}
          onSet={(outcome) => set({ outcome })}
        />
        <div className="call-days">
          <DayFilters {...chosen} set={set} />
        </div>
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
  const { side } = useViewer()
  const { filters: chosen, set } = filters
  return (
    <div className="call-filters-more">
      {(side !== 'operator' || chosen.account !== '') && (
        <Field label="Key">
          <KeyFilter any="Any key" keys={keys} value={chosen.key} onChange={(key) => set({ key })} />
        </Field>
      )}
      {side === 'operator' && (
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
        label="Charge from"
        unit="USD"
        value={chosen.min_cost}
        onSet={(value) => set({ min_cost: value })}
      />
    </div>
  )
}

interface NamedChoiceProps extends Pick<Filters, 'filters' | 'set'> {
  name: Name
  label: string
  options: readonly Option[]
}

const NamedChoice = ({ name, label, options, filters, set }: NamedChoiceProps) => (
  <FilterSelect
    label={label}
    any={`Any ${label.toLowerCase()}`}
    options={options}
    value={filters[name]}
    onChange={(value) => set({ [name]: value })}
  />
)
