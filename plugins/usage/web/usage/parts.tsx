// The parts of the page Usage: its range and filters, and its figures by model, account, key or day. A name shows its usage alone.

import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AnswerOf, api } from '../../../console/web/app/client.ts'
import { useViewer } from '../../../console/web/app/session.tsx'
import { RowAccount } from '../../../console/web/parts/account-name.tsx'
import { count } from '../../../console/web/parts/amounts.ts'
import { Button } from '../../../console/web/parts/button.tsx'
import { Choices } from '../../../console/web/parts/choices.tsx'
import {
  AccountFilter,
  Choice,
  DayFilters,
  KeyFilter,
  type ListFilters,
  useFilterLists,
} from '../../../console/web/parts/filter-fields.tsx'
import { moneyColumns } from '../../../console/web/parts/margin-words.tsx'
import { atEnd, type Column, column, Table } from '../../../console/web/parts/table.tsx'
import { utcDay } from '../../../console/web/parts/time-words.ts'
import { Further } from '../further.tsx'

export type UsageView = AnswerOf<typeof api.usage.get>

export const DEFAULTS = { account: '', model: '', key: '', days: '30', since: '', until: '', by: 'model' }
type UsageFilters = ListFilters<keyof typeof DEFAULTS>

export const GROUPS = [
  { value: 'model', label: 'By model' },
  { value: 'account', label: 'By account' },
  { value: 'key', label: 'By key' },
  { value: 'day', label: 'By day' },
] as const
export type Group = (typeof GROUPS)[number]['value']

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
      <DayFilters {...{ since, until, set }} utc />
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

type Sum = UsageView['total']

interface PartsProps {
  usage: UsageView
  by: Group
  set: UsageFilters['set']
}

export function Parts({ usage, by, set }: PartsProps) {
  if (by === 'day')
    return (
      <PartTable
        by={by}
        title="Day (UTC)"
        rows={usage.days.toReversed()}
        keyOf={({ day }) => day}
        name={({ day }) => (
          <span className="no-wrap" title={day}>
            {utcDay(Date.parse(day))}
          </span>
        )}
      />
    )
  if (by === 'account')
    return (
      <PartTable
        by={by}
        title="Account"
        rows={usage.accounts}
        keyOf={({ account_id }) => account_id}
        name={(row) => <RowAccount {...row} />}
        onChoose={({ account }) => set({ account, by: 'model' })}
        further={usage.further_accounts}
      />
    )
  if (by === 'key')
    return (
      <PartTable
        by={by}
        title="Key"
        rows={usage.keys}
        keyOf={({ key_id }) => key_id}
        name={({ key, key_prefix }) => (
          <>
            {key} <code className="soft">{key_prefix}</code>
          </>
        )}
        onChoose={({ key_id }) => set({ key: String(key_id) })}
        further={usage.further_keys}
      />
    )
  return (
    <PartTable
      by={by}
      title="Model"
      rows={usage.models}
      keyOf={({ model }) => model}
      name={({ model }) => model}
      onChoose={({ model }) => set({ model })}
    />
  )
}

interface PartTableProps<Row> {
  by: Group
  title: string
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
  name: (row: Row) => ReactNode
  /** Shows the usage of this row alone. */
  onChoose?: (row: Row) => void
  /** Rows that are left out. */
  further?: number
}

function PartTable<Row extends Sum>(props: PartTableProps<Row>) {
  const { by, title, rows, keyOf, name, onChoose, further = 0 } = props
  const is_operator = useViewer().role === 'operator'
  const nameOf = (row: Row) =>
    onChoose ? (
      <button type="button" className="text-button" title="Show its usage only" onClick={() => onChoose(row)}>
        {name(row)}
      </button>
    ) : (
      name(row)
    )
  return (
    <>
      <Table
        label={`Usage by ${by}`}
        rows={rows}
        keyOf={keyOf}
        columns={[column(by, title, 'first', nameOf), ...figuresFor(is_operator)]}
      />
      <Further number={further} what={`${by}s`} />
    </>
  )
}

/** The figures of a row, whatever it is of. On a phone, the amount and the number of calls. */
const figuresFor = (is_operator: boolean): readonly Column<Sum>[] => [
  ...moneyColumns<Sum>(is_operator, 'none'),
  atEnd('calls', 'Calls', 'second-end', ({ calls }) => (
    <>
      {count(calls)}
      <span className="on-phone">{calls === 1 ? ' call' : ' calls'}</span>
    </>
  )),
  atEnd('failed', 'Failed', 'none', ({ failed }) => count(failed)),
  atEnd('tokens', 'Tokens in / out', 'none', ({ input_tokens, output_tokens }) => (
    <span className="no-wrap">
      {count(input_tokens)} / {count(output_tokens)}
    </span>
  )),
  atEnd('images', 'Images', 'none', ({ images }) => count(images)),
]
