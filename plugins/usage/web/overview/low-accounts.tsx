// The accounts that need money soon: those that owe, cannot pay for a call, or have not for three days at their pace.

import { Link } from 'wouter'
import { type AnswerOf, api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { AccountName } from '../../../console/web/parts/account-name.tsx'
import { counted } from '../../../console/web/parts/amounts.ts'
import { Money } from '../../../console/web/parts/money.tsx'
import { Section } from '../../../console/web/parts/page.tsx'
import { Status } from '../../../console/web/parts/status.tsx'
import { atEnd, type Column, charges, column, ofWeek, Table } from '../../../console/web/parts/table.tsx'

const SHOWN = 5

type Accounts = AnswerOf<typeof api.accounts.get>
type Account = Accounts['accounts'][number]

/** Nothing while none is low: then there is nothing to do. */
export function LowAccounts() {
  const query = { low: 'yes', order: 'balance', limit: SHOWN } as const
  const { data } = useApi(['accounts', query], () => api.accounts.get({ query }))
  if (!data || data.accounts.length === 0) return null
  return (
    <Section title="Low balances" actions={<Link href="/accounts?show=low">All low accounts</Link>}>
      <Table
        label="Low balances"
        columns={COLUMNS}
        rows={data.accounts}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/accounts/${id}`}
      />
    </Section>
  )
}

const COLUMNS: Column<Account>[] = [
  column('name', 'Account', 'first', (account) => <AccountName {...account} />),
  column('why', 'Why', 'second', (account) => <Why {...account} />),
  ofWeek(charges('week', 'Spent in 7 days, USD', 'none', ({ week_nanos }) => week_nanos)),
  atEnd('available', 'Free balance, USD', 'first-end', ({ available_nanos }) => (
    <Money nanos={available_nanos} balance unit={false} />
  )),
]

function Why({ low, lasts_days }: Account) {
  if (low === 'debt') return <Status tone="bad">in debt</Status>
  if (low === 'empty') return <Status tone="bad">empty</Status>
  if (low === 'call') return <Status tone="bad">cannot pay for a call</Status>
  const days =
    lasts_days === null || lasts_days < 1 ? 'less than a day' : `about ${counted(lasts_days, 'day')}`
  return <Status tone="warn">{`${days} left`}</Status>
}
