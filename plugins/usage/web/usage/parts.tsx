// The tables of the page Usage: its figures by model, account, key or day. A name shows its usage alone.
import type { ReactNode } from 'react'
import { useViewer } from '../../../console/web/app/session.tsx'
import { RowAccount } from '../../../console/web/parts/account-name.tsx'
import { count } from '../../../console/web/parts/amounts.ts'
import { moneyColumns } from '../../../console/web/parts/margin-words.tsx'
import { atEnd, type Column, column, Table } from '../../../console/web/parts/table.tsx'
import { utcDay } from '../../../console/web/parts/time-words.ts'
import { Further } from '../further.tsx'
import type { Group, UsageFilters, UsageView } from './usage-answer.ts'

type Sum = UsageView['total']

interface PartsProps {
  usage: UsageView
  by: Group
  set: UsageFilters['set']
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

export function Parts({ usage, by, set }: PartsProps) {
  const figures = figuresFor(useViewer().role === 'operator')
  if (by === 'day')
    return (
      <Table
        label="Usage by day"
        rows={usage.days.toReversed()}
        keyOf={({ day }) => day}
        columns={[
          column('day', 'Day (UTC)', 'first', ({ day }: UsageView['days'][number]) => (
            <span className="no-wrap" title={day}>
              {utcDay(Date.parse(day))}
            </span>
          )),
          ...figures,
        ]}
      />
    )
  if (by === 'account')
    return (
      <>
        <Table
          label="Usage by account"
          rows={usage.accounts}
          keyOf={({ account_id }) => account_id}
          columns={[
            column('account', 'Account', 'first', (row: UsageView['accounts'][number]) => (
              <Choice onChoose={() => set({ account: row.account, by: 'model' })}>
                <RowAccount {...row} />
              </Choice>
            )),
            ...figures,
          ]}
        />
        <Further number={usage.further_accounts} what="accounts" />
      </>
    )
  if (by === 'key')
    return (
      <>
        <Table
          label="Usage by key"
          rows={usage.keys}
          keyOf={({ key_prefix }) => key_prefix}
          columns={[
            column('key', 'Key', 'first', ({ key, key_prefix }: UsageView['keys'][number]) => (
              <Choice onChoose={() => set({ key: key_prefix })}>
                {key} <code className="soft">{key_prefix}</code>
              </Choice>
            )),
            ...figures,
          ]}
        />
        <Further number={usage.further_keys} what="keys" />
      </>
    )
  return (
    <Table
      label="Usage by model"
      rows={usage.models}
      keyOf={({ model }) => model}
      columns={[
        column('model', 'Model', 'first', ({ model }: UsageView['models'][number]) => (
          <Choice onChoose={() => set({ model })}>{model}</Choice>
        )),
        ...figures,
      ]}
    />
  )
}

/** Shows the usage of this one alone. */
const Choice = ({ onChoose, children }: { onChoose: () => void; children: ReactNode }) => (
  <button type="button" className="text-button" title="Show its usage only" onClick={onChoose}>
    {children}
  </button>
)
