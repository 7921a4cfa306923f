// The plan of an account, its months and the offers, for the account's own page and the staff's page of the account.
import { CalendarSync } from 'lucide-react'
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useMay } from '../../console/web/app/session.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { EmptyState, Loaded, Skeleton } from '../../console/web/parts/states.tsx'
import { MonthList } from './month-list.tsx'
import { Offers } from './offers.tsx'
import { PresentPlan } from './present-plan.tsx'
import { Renewal, useRenewal } from './renewal.tsx'
import { type PlanPage, standingOf } from './words.ts'

/** Often enough to see calls count. */
const EVERY_MS = 10_000

const isChangeable = ({ offered, plan }: PlanPage): boolean =>
  offered.some((offer) => !['current', 'renewal'].includes(standingOf(offer, plan)))

/** @param account for the staff: ID of the account */
export function AccountPlan({ account }: { account?: string }) {
  const query = { account }
  const page = useApi(['plan', query], () => api.plan.get({ query }), { every_ms: EVERY_MS })
  const may_buy = useMay('buy')
  const { is_awaited } = useRenewal(account === undefined)
  if (is_awaited) return <Skeleton rows={10} />
  return (
    <Loaded query={page} rows={10}>
      {(data) => (
        <div className="plan-parts">
          {data.plan ? (
            <PresentPlan plan={data.plan} page={data} account={account} />
          ) : (
            <EmptyState icon={CalendarSync} title="No plan">
              {account === undefined
                ? 'Calls are paid from your balance.'
                : 'Calls of this account are paid from its balance.'}
            </EmptyState>
          )}
          {data.plan && account === undefined && <Renewal plan={data.plan} page={data} />}
          {data.offered.length > 0 && (
            <Section title={data.plan && may_buy && isChangeable(data) ? 'Change plan' : 'Plans'}>
              <Offers page={data} account={account} />
            </Section>
          )}
          {data.has_months && (
            <Section title="Months">
              <MonthList account={account} of_one />
            </Section>
          )}
        </div>
      )}
    </Loaded>
  )
}
