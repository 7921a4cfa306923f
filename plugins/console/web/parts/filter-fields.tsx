// The controls of the filters: choices from lists, text that takes effect when it is done, days.
import { api } from '../app/client.ts'
import { useAsk } from '../app/query.ts'
import { accountLabel } from './account-name.tsx'
import { CommittedInput } from './committed-input.tsx'
import { Field } from './field.tsx'
import { TextInput } from './input.tsx'
import { Select } from './select.tsx'

const ANY = ''

interface ChoiceProps {
  label: string
  /** What stands there while nothing is chosen. */
  any: string
  options: readonly { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
}

/** What the address names stays chosen, also if no list has it. */
export function Choice({ label, any, options, value, onChange }: ChoiceProps) {
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
export const TextFilter = ({ label, onSet, ...rest }: TextFilterProps) => (
  <Field label={label}>
    <CommittedInput commit={onSet} {...rest} />
  </Field>
)

const DayFilter = ({ label, value, onSet }: Pick<TextFilterProps, 'label' | 'value' | 'onSet'>) => (
  <Field label={label}>
    <TextInput type="date" value={value.slice(0, 10)} onChange={onSet} />
  </Field>
)

type Days = Record<'since' | 'until', string>

/** From one day to another, both included. */
export const DayFilters = ({ since, until, set }: Days & { set: (some: Partial<Days>) => void }) => (
  <>
    <DayFilter label="From day (UTC)" value={since} onSet={(value) => set({ since: value })} />
    <DayFilter label="To day (UTC)" value={until} onSet={(value) => set({ until: value })} />
  </>
)

/** What calls can be filtered by. @param account whose keys and models; '' for all */
export function useFilterLists(account: string) {
  const query = { account: account || undefined }
  const { data } = useAsk(['call-filters', query.account], () => api['call-filters'].get({ query }))
  const { accounts = [], keys = [], models = [], providers = [] } = data ?? {}
  return { accounts, keys, models, providers }
}

/** The operator's choice of an account, by its name; the address may have its number, too. */
export function AccountFilter({ value, ...choice }: Pick<ChoiceProps, 'any' | 'value' | 'onChange'>) {
  const { accounts } = useFilterLists('')
  return (
    <Choice
      {...choice}
      label="Account"
      options={accounts.map((account) => ({ value: account.name, label: accountLabel(account) }))}
      value={accounts.find(({ id }) => String(id) === value)?.name ?? value}
    />
  )
}

interface KeyFilterProps extends Pick<ChoiceProps, 'any' | 'value' | 'onChange'> {
  keys: ReturnType<typeof useFilterLists>['keys']
}

/** By its prefix; the address may have its number, too. */
export const KeyFilter = ({ keys, value, ...choice }: KeyFilterProps) => (
  <Choice
    {...choice}
    label="Key"
    options={keys.map(({ name, prefix }) => ({ value: prefix, label: `${name} (${prefix}…)` }))}
    value={keys.find(({ id }) => String(id) === value)?.prefix ?? value}
  />
)
