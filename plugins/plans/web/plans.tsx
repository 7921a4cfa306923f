// The page "Plans" of the staff: accounts with plans, revenue, and the unused part of paid months.
import { Settings } from 'lucide-react'
import { type AnswerOf, api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { count } from '../../console/web/parts/amounts.ts'
import { ButtonLink } from '../../console/web/parts/button.tsx'
import { Figure, Figures } from '../../console/web/parts/figure.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { Tabs } from '../../console/web/parts/tabs.tsx'
import { MonthList } from './month-list.tsx'
import { PlanRevenue } from './plan-revenue.tsx'

export default function Plans() {
  const report = useApi(['plan-revenue', {}], () => api['plan-revenue'].get({ query: {} }))
  return (
    <Page
      title="Plans"
      lead="Accounts with a plan, and the revenue of plans."
      actions={
        <ButtonLink href="/settings/plans" icon={Settings} right="operate">
          Plan settings
        </ButtonLink>
      }
    >
      <Loaded query={report} rows={10}>
        {(data) => (
          <>
            <PlanFigures {...data} />
            <Tabs
              label="Plans"
              tabs={[
                { value: 'accounts', title: 'Accounts', content: <MonthList /> },
                { value: 'revenue', title: 'Revenue', content: <PlanRevenue /> },
              ]}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}

type Report = AnswerOf<(typeof api)['plan-revenue']['get']>

const PlanFigures = ({ active, unpaid, ending, unused_nanos }: Report) => (
  <Figures>
    <Figure
      label="Accounts with a plan"
      value={count(active)}
      note={ending === 0 ? 'none cancelled' : `${count(ending)} cancelled`}
    />
    <Figure label="Unpaid" value={count(unpaid)} note={unpaid === 0 ? 'none' : 'in three days of grace'} />
    <Figure
      label="Paid and not used yet"
      value={<Money nanos={unused_nanos} balance />}
      note="owed to accounts"
    />
  </Figures>
)
