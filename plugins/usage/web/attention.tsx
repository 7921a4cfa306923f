// Items that need attention on the Overview: low balances, keys near their limits, and models that end soon or have ended.
import { Link } from 'wouter'
import { type AnswerOf, api, pathPart } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useZone } from '../../console/web/app/zone.ts'
import { AccountName } from '../../console/web/parts/account-name.tsx'
import { countNoun } from '../../console/web/parts/amounts.ts'
import { ENDING_HELP, endWords } from '../../console/web/parts/end-words.ts'
import { Money } from '../../console/web/parts/money.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import {
  type Column,
  chargeColumn,
  column,
  endColumn,
  Table,
  withWeekHint,
} from '../../console/web/parts/table.tsx'
import { closestLimit, LimitWarning } from '../../keys/web/spend-limits.tsx'
import type { Overview } from './charts.tsx'

type Ending = NonNullable<Overview['ending']>[number]

export function EndingModels({ ending }: { ending: readonly Ending[] }) {
  if (ending.length === 0) return null
  return (
    <Section title="Models that end">
      <Table
        label="Models that end"
        columns={ENDING_COLUMNS}
        rows={ending}
        keyOf={({ model, route }) => `${model} ${route ?? ''}`}
        hrefOf={({ model }) => `/models/${pathPart(model)}`}
      />
      <p className="small soft">{ENDING_HELP}</p>
    </Section>
  )
}

const ENDING_COLUMNS: Column<Ending>[] = [
  column('model', 'Model', 'first', ({ model }) => model),
  column('route', 'Route', 'second', ({ route }) => route ?? 'all routes'),
  column('when', 'When', 'second-end', (ending) => <Status tone="warn">{endWords(ending)}</Status>),
  endColumn('date', 'Date', 'first-end', ({ date }) => date),
]

/** Checks the newest usable keys only. */
const MAX_CHECKED_KEYS = 50

export function KeysNearLimit() {
  const query = { status: 'usable', limit: MAX_CHECKED_KEYS } as const
  const { data } = useApi(['keys', query], () => api.keys.get({ query }))
  const near = (data?.keys ?? []).filter(({ spend_limits }) => closestLimit(spend_limits))
  return near.map(({ id, name, spend_limits }) => (
    <LimitWarning
      key={id}
      limits={spend_limits}
      who={
        <>
          The key <Link href={`/keys/${id}`}>{name}</Link>
        </>
      }
    />
  ))
}

const MAX_ACCOUNTS = 5

type Accounts = AnswerOf<typeof api.accounts.get>
type Account = Accounts['accounts'][number]

export function LowAccounts() {
  const query = { low: 'yes', order: 'balance', limit: MAX_ACCOUNTS, zone: useZone() } as const
  const { data } = useApi(['accounts', query], () => api.accounts.get({ query }))
  if (!data || data.accounts.length === 0) return null
  return (
    <Section title="Low balances" actions={<Link href="/accounts?show=low">All low accounts</Link>}>
      <Table
        label="Low balances"
        columns={ACCOUNT_COLUMNS}
        rows={data.accounts}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/accounts/${id}`}
      />
    </Section>
  )
}

const ACCOUNT_COLUMNS: Column<Account>[] = [
  column('name', 'Account', 'first', (account) => <AccountName {...account} />),
  column('why', 'Why', 'second', (account) => <LowReason {...account} />),
  withWeekHint(chargeColumn('week', 'Spent in 7 days, USD', 'none', ({ week_nanos }) => week_nanos)),
  endColumn('available', 'Free balance, USD', 'first-end', ({ available_nanos }) => (
    <Money nanos={available_nanos} balance unit={false} />
  )),
]

function LowReason({ low, lasts_days }: Account) {
  if (low === 'debt') return <Status tone="bad">in debt</Status>
  if (low === 'empty') return <Status tone="bad">empty</Status>
  if (low === 'call') return <Status tone="bad">cannot pay for a call</Status>
  const days =
    lasts_days === null || lasts_days < 1 ? 'less than a day' : `about ${countNoun(lasts_days, 'day')}`
  return <Status tone="warn">{`${days} left`}</Status>
}
