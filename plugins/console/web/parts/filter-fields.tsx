// Filters of a list: their state in the address, and their controls.
import { useEffect, useRef, useState } from 'react'
import { api } from '../app/client.ts'
import { useApi } from '../app/query.ts'
import { inZone, useZone } from '../app/zone.ts'
import { useChosenAccount } from './account-choice.tsx'
import { accountLabel } from './account-name.tsx'
import { useAddressState, withoutEmpty } from './address-state.ts'
import { CommittedInput } from './committed-input.tsx'
import { Field } from './field.tsx'
import { SearchInput, TextInput } from './input.tsx'
import { keyPrefix } from './key-prefix.ts'
import { type Option, optionValue, Select } from './select.tsx'
import { dayName } from './time-words.ts'

const PAUSE_MS = 200

interface FilterSearchProps {
  label: string
  placeholder?: string
  value: string
  onChange: (value: string) => void
}

export function FilterSearch({ label, placeholder, value, onChange }: FilterSearchProps) {
  const [typed, setTyped] = useState(value)
  const last = useRef(value)
  const change = useRef(onChange)
  change.current = onChange

  // Follows changes from outside: the back button, or a button that clears all filters.
  useEffect(() => {
    if (value !== last.current) setTyped(value)
    last.current = value
  }, [value])

  useEffect(() => {
    const wanted = typed.trim()
    if (wanted === last.current) return
    const timer = setTimeout(() => {
      last.current = wanted
      change.current(wanted)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])

  return <SearchInput aria-label={label} placeholder={placeholder} value={typed} onChange={setTyped} />
}

export interface ListFilters<Name extends string> {
  /** The default, mostly '', if nothing is chosen. */
  filters: Record<Name, string>
  /** The cursor of the current page; '' on the first. */
  cursor: string
  /** The same as a number; undefined on the first page. */
  row: number | undefined
  set: (some: Partial<Record<Name, string>>) => void
  clear: () => void
  is_filtered: boolean
  /** The query of the list's route and of `ExportCsv`: the filters that are set, and the zone of their days. */
  query: { [N in Name]?: string } & { zone?: string }
}

/**
 * Reads and changes the filters in the address.
 *
 * @param defaults values of filters that the address does not have
 * @param param the name of the cursor in the address, for pages with several lists
 */
export function useListFilters<Name extends string>(
  defaults: Readonly<Record<Name, string>>,
  param = 'cursor',
): ListFilters<Name> {
  const [state, change] = useAddressState<string>({ ...defaults, [param]: '' })
  const zone = useZone()
  const names = Object.keys(defaults) as Name[]
  const filters = Object.fromEntries(names.map((name) => [name, state[name] ?? ''])) as Record<Name, string>
  const set = (some: Partial<Record<Name, string>>) => change({ ...some, [param]: '' })
  return {
    filters,
    cursor: state[param] ?? '',
    row: state[param] ? Number(state[param]) : undefined,
    set,
    clear: () => set(defaults),
    is_filtered: names.some((name) => filters[name] !== defaults[name]),
    query: withoutEmpty({
      ...filters,
      zone: state.since || state.until ? zone : '',
    }) as ListFilters<Name>['query'],
  }
}

const ANY = ''

interface ChoiceProps {
  label: string
  any: string
  options: readonly { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
}

/** A select whose value from the address stays chosen even if it is not among the options. */
export function FilterSelect({ label, any, options, value, onChange }: ChoiceProps) {
  const is_known = value === ANY || options.some((option) => option.value === value)
  const all = [{ value: ANY, label: any }, ...options, ...(is_known ? [] : [{ value, label: value }])]
  return <Select inline aria-label={label} options={all} value={value} onChange={onChange} />
}

interface OptionFilterProps<V extends string> {
  label: string
  options: readonly [Option<V>, ...Option<V>[]]
  value: string
  onSet: (value: V) => void
}

/** A select of a few options; the first is chosen if the address has none of them. */
export const OptionFilter = <V extends string>({ label, options, value, onSet }: OptionFilterProps<V>) => (
  <Select inline aria-label={label} options={options} value={optionValue(options, value)} onChange={onSet} />
)

interface TextFilterProps {
  label: string
  value: string
  placeholder?: string
  unit?: string
  onSet: (value: string) => void
}

/** Takes effect on Enter, or when it loses the focus. */
export const TextFilter = ({ label, onSet, ...rest }: TextFilterProps) => (
  <Field label={label}>
    <CommittedInput commit={onSet} {...rest} />
  </Field>
)

const DayFilter = ({ label, value, onSet }: Pick<TextFilterProps, 'label' | 'value' | 'onSet'>) => (
  <Field label={label}>
    <TextInput
      type="date"
      value={value.includes('T') ? dayName(Date.parse(value)) : value}
      onChange={onSet}
    />
  </Field>
)

type Days = Record<'since' | 'until', string>

interface DayFiltersProps extends Days {
  set: (some: Partial<Days>) => void
  /** Set for rows that are stored by days in UTC. */
  utc?: boolean
}

/** The filters from one day to another, both inclusive, in the page's time zone. */
export function DayFilters({ since, until, set, utc }: DayFiltersProps) {
  useZone()
  const label = (words: string) => (utc ? `${words} (UTC)` : inZone(words))
  return (
    <>
      <DayFilter label={label('From day')} value={since} onSet={(value) => set({ since: value })} />
      <DayFilter label={label('To day')} value={until} onSet={(value) => set({ until: value })} />
    </>
  )
}

/** Queries the values by which calls can be filtered. @param account the owner of the keys and models; '' for all */
export function useFilterLists(account: string) {
  const query = { account: account || undefined }
  const { data } = useApi(['call-filters', query.account], () => api['call-filters'].get({ query }))
  const { accounts = [], keys = [], models = [], providers = [] } = data ?? {}
  return { accounts, keys, models, providers }
}

/** The operator's filter by account. The address has its name or id, also of an account that is not in the limited list. */
export function AccountFilter({ value, ...choice }: Pick<ChoiceProps, 'any' | 'value' | 'onChange'>) {
  const { accounts } = useFilterLists('')
  const { chosen } = useChosenAccount(value === ANY ? undefined : value)
  const is_listed = accounts.some(({ id }) => id === chosen?.id)
  const options = chosen && !is_listed ? [...accounts, chosen] : accounts
  return (
    <FilterSelect
      {...choice}
      label="Account"
      options={options.map((account) => ({ value: account.name, label: accountLabel(account) }))}
      value={chosen?.name ?? value}
    />
  )
}

interface KeyFilterProps extends Pick<ChoiceProps, 'any' | 'value' | 'onChange'> {
  keys: ReturnType<typeof useFilterLists>['keys']
}

type ListedKey = KeyFilterProps['keys'][number]

/** Returns a key's prefix, or its id if others have the same prefix. */
const referenceOf = ({ id, prefix }: ListedKey, keys: readonly ListedKey[]): string =>
  keys.some((other) => other.id !== id && other.prefix === prefix) ? String(id) : prefix

function chosenKey(keys: readonly ListedKey[], value: string): string {
  const key = keys.find(({ id }) => String(id) === value)
  return key ? referenceOf(key, keys) : value
}

/** The filter by key. The address has the key's prefix or id. */
export const KeyFilter = ({ keys, value, ...choice }: KeyFilterProps) => (
  <FilterSelect
    {...choice}
    label="Key"
    options={keys.map((key) => ({
      value: referenceOf(key, keys),
      label: `${key.name} (${keyPrefix(key.prefix)})`,
    }))}
    value={chosenKey(keys, value)}
  />
)
