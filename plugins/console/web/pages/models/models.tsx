// The page Models: what is sold, at what price, and how it went in the last seven days.
import { Boxes } from 'lucide-react'
import { api } from '../../app/client.ts'
import { useAsk } from '../../app/query.ts'
import { useViewer } from '../../app/session.tsx'
import { count, share } from '../../parts/amounts.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { Money } from '../../parts/money.tsx'
import { Page } from '../../parts/page.tsx'
import { EmptyState, Loaded } from '../../parts/states.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { ModelState } from './model-state.tsx'
import { type PriceLine, PriceWords } from './price-words.tsx'

interface Row {
  id: string
  display_name: string
  kind: string
  state: 'served' | 'retired' | 'unavailable'
  why: string | null
  price: readonly PriceLine[]
  routes?: readonly { provider: string; model: string }[] | undefined
  week: { calls: number; failed: number; cost_nanos: number }
}

const routeWords = ({ routes = [] }: Row): string =>
  [...new Set(routes.map(({ provider }) => provider))].join(', ')

const WeekCost = ({ nanos }: { nanos: number }) => (
  <>
    <Money nanos={nanos} unit={false} />
    <span className="on-phone"> in 7 days</span>
  </>
)

const COLUMNS: Column<Row>[] = [
  { key: 'id', title: 'Model', cell: ({ id }) => id, phone: 'first' },
  { key: 'kind', title: 'Kind', cell: ({ kind }) => <span className="no-wrap">{kind}</span>, phone: 'none' },
  { key: 'price', title: 'Price in USD', cell: ({ price }) => <PriceWords price={price} />, phone: 'second' },
]

const WEEK: Column<Row>[] = [
  { key: 'calls', title: 'Calls in 7 days', cell: ({ week }) => count(week.calls), end: true, phone: 'none' },
  {
    key: 'cost',
    title: 'Cost in 7 days, USD',
    cell: ({ week }) => <WeekCost nanos={week.cost_nanos} />,
    end: true,
    phone: 'first-end',
  },
]

const OF_OPERATOR: Column<Row>[] = [
  ...COLUMNS,
  { key: 'routes', title: 'Routes', cell: routeWords, phone: 'none' },
  {
    key: 'state',
    title: 'State',
    cell: ({ state, why }) => <ModelState state={state} why={why} />,
    phone: 'second-end',
  },
  {
    key: 'calls',
    title: 'Calls in 7 days',
    cell: ({ week }) => (
      <>
        {count(week.calls)}
        {week.failed > 0 && <span className="soft"> ({share(week.failed / week.calls)} failed)</span>}
      </>
    ),
    end: true,
    phone: 'none',
  },
  {
    key: 'cost',
    title: 'Revenue in 7 days, USD',
    cell: ({ week }) => <WeekCost nanos={week.cost_nanos} />,
    end: true,
    phone: 'first-end',
  },
]

export default function ModelsPage() {
  const models = useAsk(['models'], () => api.models.get())
  const is_operator = useViewer().role === 'operator'
  return (
    <Page
      title="Models"
      lead={
        is_operator ? 'What callers can ask for, and what they pay.' : 'What you can call, and what it costs.'
      }
      actions={
        is_operator && (
          <ButtonLink href="/catalogue" look="primary">
            Change the catalogue
          </ButtonLink>
        )
      }
    >
      <Loaded query={models}>
        {({ models }) =>
          models.length === 0 ? (
            <EmptyState icon={Boxes} title="No model yet">
              {is_operator
                ? 'A model is what callers ask for: add one in the catalogue, with its price and a provider that serves it.'
                : 'No model can be called at the moment. Ask the operator of this gateway.'}
            </EmptyState>
          ) : (
            <Table
              label="Models"
              columns={is_operator ? OF_OPERATOR : [...COLUMNS, ...WEEK]}
              rows={models}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => `/models/${encodeURIComponent(id)}`}
            />
          )
        }
      </Loaded>
      {is_operator && <AsCommand command="tollgate models" />}
    </Page>
  )
}
