// Console routes of the Overview: figures of a period and the previous one, items that need attention, and the report with its file.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { accountQueries } from '../../../src/access/queries.ts'
import { accountOf, onlyKeysOf, type Viewer } from '../../../src/access/viewer.ts'
import { consoleList } from '../../../src/app/list/pages.ts'
import { FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { Model } from '../../../src/domain/catalogue.ts'
import { endingsOf } from '../../../src/domain/model-ends.ts'
import { UTC } from '../../../src/domain/zones.ts'
import { Closed, Nullable } from '../../../src/http/schema.ts'
import { MoneyFields, money, TimeFields, time } from '../../../src/http/views.ts'
import type { CallTotals } from '../../../src/money/ledger/totals.ts'
import { AlertView, alertView, openAlerts } from '../../alerts/index.ts'
import { refuseOperatorFigures, SumView, sumView, usage_report } from '../list.ts'
import { createOverviewCache, type Latency, type OverviewCache, overviewOf } from '../report/overview.ts'
import { timeOf } from '../report/time.ts'
import { ResaleView, resaleView } from './resale.ts'

const Milliseconds = Nullable(Type.Integer({ description: 'null if no call was answered' }))

const LATENCY = {
  first_byte_p50_ms: Milliseconds,
  first_byte_p95_ms: Milliseconds,
  duration_p50_ms: Milliseconds,
}
const TotalsView = Type.Composite([SumView, Closed(LATENCY)])
const PointView = Type.Composite([TotalsView, Closed(TimeFields('start'))])

const EndingView = Closed({
  model: Type.String(),
  route: Nullable(Type.String({ description: 'the route that ends; null for the model as a whole' })),
  date: Type.String(),
  days: Type.Integer({ description: 'days until the end; negative after it' }),
})

const OverviewView = Closed({
  ...TimeFields('from'),
  ...TimeFields('until'),
  ...TimeFields('before_from'),
  ...TimeFields('before_until'),
  step_ms: Type.Integer({ description: 'the length of a point: an hour or a day' }),
  unfinished: Type.Boolean({ description: 'whether the last point is not over yet' }),
  points: Type.Array(PointView),
  totals: TotalsView,
  before: TotalsView,
  is_sampled: Type.Boolean({ description: 'whether durations are from a sample of the calls' }),
  /** For the operator only. */
  resale: Nullable(ResaleView),
  /** Open ones; for the operator only. */
  alerts: Nullable(Type.Array(AlertView)),
  /** Models and routes that end within 30 days or have ended; for the operator only. */
  ending: Nullable(Type.Array(EndingView)),
  /** Of the viewer's account; null for the operator, and for viewers who see only some keys. */
  money: Nullable(Closed({ ...MoneyFields('available'), ...MoneyFields('held'), ...MoneyFields('debt') })),
})

/** Higher than 1, because it reads several thousand sums. */
const COUNTS_AS = 10

/** `GET /console/api/overview`, and `/console/api/usage` with its file: the operator sees all calls, an account its own. */
export function consoleRoutes(gateway: Gateway) {
  const memory = createOverviewCache()
  const list = consoleList(gateway, usage_report)
  const { limit: _, cursor: __, by: ___, order: ____, ...parameters } = list.page_route.query.properties
  const query = Closed(parameters)
  return new Elysia({ name: 'console-overview' })
    .use(viewerCalls(gateway, { counts_as: COUNTS_AS }))
    .get(
      '/console/api/overview',
      async ({ viewer, query }) => {
        const filter = await list.filterOf(viewer, query)
        refuseOperatorFigures(filter, viewer)
        return overviewView(gateway, { viewer, filter, memory })
      },
      { query, response: { 200: OverviewView, ...FAILURES } },
    )
    .get('/console/api/usage', ({ viewer, query }) => list.page(viewer, query), list.page_route)
    .get('/console/api/usage.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route)
}

interface Reading {
  viewer: Viewer
  filter: Parameters<typeof refuseOperatorFigures>[0]
  memory: OverviewCache
}

async function overviewView(
  gateway: Gateway,
  { viewer, filter: requested, memory }: Reading,
): Promise<Static<typeof OverviewView>> {
  const { db } = gateway
  const now_ms = gateway.calls.now()
  const { account_id, key_ids, model, provider, zone = UTC } = requested
  const filter = { account_id, key_ids, model, provider }
  const range = timeOf(requested, now_ms, zone)
  const is_operator = viewer.side === 'operator'
  const time_of = { time: range, zone, now_ms, with_plans: is_operator }
  // In parallel: on PostgreSQL the two queries are independent.
  const [overview, resale] = await Promise.all([
    overviewOf(db, { filter, ...time_of, memory }),
    is_operator ? resaleView(gateway, { ...range, filter, zone }) : null,
  ])
  const view = (sum: CallTotals & Latency) => totalsView(viewer, sum)
  const { from_ms, until_ms, before } = range
  return {
    ...time('from', from_ms),
    ...time('until', until_ms),
    ...time('before_from', before.from_ms),
    ...time('before_until', before.until_ms),
    step_ms: overview.step_ms,
    unfinished: until_ms > now_ms,
    points: overview.points.map((point) => ({ ...time('start', point.start_ms), ...view(point) })),
    totals: view(overview.totals),
    before: view(overview.before),
    is_sampled: overview.is_sampled,
    resale,
    alerts: is_operator ? (await openAlerts(db)).map(alertView) : null,
    ending: is_operator ? endingView(gateway.calls.catalogue().models.values(), now_ms) : null,
    money: await moneyView(db, viewer),
  }
}

const totalsView = (
  { side }: Viewer,
  { first_byte_p50_ms, first_byte_p95_ms, duration_p50_ms, ...sum }: CallTotals & Latency,
): Static<typeof TotalsView> => ({
  ...sumView(side, sum),
  first_byte_p50_ms,
  first_byte_p95_ms,
  duration_p50_ms,
})

const endingView = (models: Iterable<Model>, now_ms: number): Static<typeof EndingView>[] =>
  endingsOf(models, now_ms).map(({ route, ...ending }) => ({
    ...ending,
    route: route ? `${route.provider}:${route.model}` : null,
  }))

async function moneyView(db: Gateway['db'], viewer: Viewer): Promise<Static<typeof OverviewView>['money']> {
  const id = accountOf(viewer)
  if (id === undefined || onlyKeysOf(viewer) !== undefined) return null
  const account = await accountQueries(db).accountById.get({ id })
  if (!account) return null
  const { balance_nanos, held_nanos, debt_nanos } = account
  return {
    ...money('available', balance_nanos - held_nanos),
    ...money('held', held_nanos),
    ...money('debt', debt_nanos),
  }
}
