// The accounts that need money soon: those that owe, have nothing free, or have not for three days at their pace.
import { Link } from 'wouter'
import { api } from '../../app/client.ts'
import { useAsk } from '../../app/query.ts'
import { Money } from '../../parts/money.tsx'
import { Section } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'

const SHOWN = 5

type Accounts = NonNullable<Awaited<ReturnType<typeof api.accounts.get>>['data']>
type Account = Accounts['accounts'][number]

/** Nothing while none is low: then there is nothing to do. */
export function LowAccounts() {
  const query = { low: 'yes', order: 'balance', limit: SHOWN } as const
  const { data } = useAsk(['accounts', query], () => api.accounts.get({ query }))
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
  { key: 'name', title: 'Account', cell: ({ name }) => name, phone: 'first' },
  { key: 'why', title: 'Why', cell: (account) => <Why {...account} />, phone: 'second' },
  {
    key: 'week',
    title: 'Spent this week, USD',
    end: true,
    cell: ({ week_nanos }) => <Money nanos={week_nanos} unit={false} />,
    phone: 'none',
  },
  {
    key: 'available',
    title: 'Free balance, USD',
    end: true,
    cell: ({ available_nanos }) => <Money nanos={available_nanos} unit={false} />,
    phone: 'first-end',
  },
]

function Why({ debt_nanos, available_nanos, lasts_days }: Account) {
  if (debt_nanos > 0) return <Status tone="bad">owes</Status>
  if (available_nanos <= 0) return <Status tone="bad">empty</Status>
  const days = lasts_days === null || lasts_days < 1 ? 'less than a day' : `about ${lasts_days} days`
  return <Status tone="warn">{`lasts ${days}`}</Status>
}
