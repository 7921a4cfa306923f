// The page Models: what is sold, at what price, and how it went in the last seven days.
import { Boxes } from 'lucide-react'
import { type AnswerOf, api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { useViewer } from '../../../console/web/app/session.tsx'
import { count, share } from '../../../console/web/parts/amounts.ts'
import { ButtonLink } from '../../../console/web/parts/button.tsx'
import { AsCommand } from '../../../console/web/parts/code.tsx'
import { endWords } from '../../../console/web/parts/end-words.ts'
import { ExportCsv } from '../../../console/web/parts/export-csv.tsx'
import {
  type HealthAnswer,
  type HealthState,
  HealthStatus,
  healthSentence,
} from '../../../console/web/parts/health.tsx'
import { marginColumn } from '../../../console/web/parts/margin-words.tsx'
import { Money } from '../../../console/web/parts/money.tsx'
import { Page } from '../../../console/web/parts/page.tsx'
import { EmptyState, Loaded } from '../../../console/web/parts/states.tsx'
import { Status } from '../../../console/web/parts/status.tsx'
import { atEnd, type Column, charges, column, ofWeek, Table } from '../../../console/web/parts/table.tsx'
import { PriceWords } from '../../../prices/web/price-words.tsx'

interface ModelStateProps {
  state: 'served' | 'retired' | 'unavailable'
  why: string | null
  health_state: HealthState
  health?: HealthAnswer | undefined
  end: { date: string; days: number; is_near: boolean } | null
}

const TONES = { retired: 'idle', unavailable: 'warn' } as const

export function ModelState({ state, why, end, health_state, health }: ModelStateProps) {
  if (state !== 'served')
    return (
      <Status tone={TONES[state]} title={why ?? undefined}>
        {state}
      </Status>
    )
  if (end?.is_near && health_state !== 'failing')
    return (
      <Status tone="warn" title={`Shutdown date: ${end.date}`}>
        {endWords(end)}
      </Status>
    )
  // Those who call it do not ask who else does.
  if (health_state === 'unknown' && !health) return <Status tone="idle">available</Status>
  return <HealthStatus state={health_state} title={health && healthSentence(health, 'calls')} />
}

type Row = AnswerOf<typeof api.models.get>['models'][number]

const routeWords = ({ routes = [] }: Row): string =>
  [...new Set(routes.map(({ provider }) => provider))].join(', ')

const weekCost = (title: string): Column<Row> =>
  ofWeek(
    charges(
      'cost',
      title,
      'first-end',
      ({ week }) => week.cost_nanos,
      ({ week }, decimals) => (
        <>
          <Money nanos={week.cost_nanos} decimals={decimals} unit={false} />
          <span className="on-phone"> in 7 days</span>
        </>
      ),
    ),
  )

const COLUMNS: Column<Row>[] = [
  column('id', 'Model', 'first', ({ id, kind }) => (
    <>
      {id}
      {kind !== 'text' && <span className="soft"> {kind}</span>}
    </>
  )),
  column('price', 'Price in USD', 'second', ({ kind, price }) => <PriceWords kind={kind} price={price} />),
]

const WEEK: Column<Row>[] = [
  ofWeek(atEnd('calls', 'Calls', 'none', ({ week }) => count(week.calls))),
  weekCost('Cost, USD'),
]

const OF_OPERATOR: Column<Row>[] = [
  ...COLUMNS,
  column('routes', 'Routes', 'none', routeWords),
  column('state', 'State', 'second-end', (model) => <ModelState {...model} />),
  ofWeek(
    atEnd('calls', 'Calls', 'none', ({ week }) => (
      <>
        {count(week.calls)}
        {week.failed > 0 && <span className="soft"> ({share(week.failed / week.calls)} failed)</span>}
      </>
    )),
  ),
  weekCost('Revenue, USD'),
  ofWeek(marginColumn('Margin, USD', 'none', ({ week }) => week)),
]

export default function ModelsPage() {
  const models = useApi(['models'], () => api.models.get())
  const is_operator = useViewer().role === 'operator'
  return (
    <Page
      title="Models"
      lead={
        is_operator
          ? 'The models you sell, and their prices. Figures are of the last 7 days (UTC), including today.'
          : 'The models you can call, and their prices. Figures are of the last 7 days (UTC), including today.'
      }
      actions={
        <>
          <ExportCsv list="models" query={{}} />
          {is_operator && (
            <ButtonLink href="/catalogue" look="primary">
              Change the catalogue
            </ButtonLink>
          )}
        </>
      }
    >
      <Loaded query={models}>
        {({ models }) =>
          models.length === 0 ? (
            <EmptyState icon={Boxes} title="No model yet">
              {is_operator
                ? 'Add a model to the catalogue, with its price and a provider that serves it.'
                : 'No models available. Ask your operator.'}
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
