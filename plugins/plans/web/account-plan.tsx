// The plan of an account, with its months until now, and those that are offered: on its own page, and for the staff on that of the account.
import { CalendarSync } from 'lucide-react'
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useMay } from '../../console/web/app/session.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { EmptyState, Loaded } from '../../console/web/parts/states.tsx'
import { MonthList } from './month-list.tsx'
import { Offers } from './offers.tsx'
import { PresentPlan } from './present-plan.tsx'

/** Often enough to see calls count. */
const EVERY_MS = 10_000

/** @param account for the staff: whose plan */
export function AccountPlan({ account }: { account?: string }) {
  const query = { account }
  const page = useApi(['plan', query], () => api.plan.get({ query }), { every_ms: EVERY_MS })
  const may_buy = useMay('buy')
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
          {data.offered.length > 0 && (
            <Section title={data.plan && may_buy ? 'Change plan' : 'Plans'}>
              <Offers page={data} account={account} />
            </Section>
          )}
          <Section title="Months">
            <MonthList account={account} of_one />
          </Section>
        </div>
      )}
    </Loaded>
  )
}
