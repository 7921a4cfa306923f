// The overview: what calls cost, how many failed, how long they took over some time; and which routes failed.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { accountQueries } from '../../../src/access/queries.ts'
import { accountOf, requireWholeAccount, type Viewer } from '../../../src/access/viewer.ts'
import { DISPLAY_NAME } from '../../../src/app/surface/console/account-names.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { marginOfSum, SUM_FIELDS, sumView } from '../../../src/app/surface/console/sum-views.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { Model } from '../../../src/domain/catalogue.ts'
import { endingsOf } from '../../../src/domain/model-ends.ts'
import { FIGURE_RANGES, type FigureRange } from '../../../src/domain/ranges.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { MoneyFields, money, TimeFields, time } from '../../../src/http/views.ts'
import type { MoneyTotals } from '../../../src/money/ledger/totals.ts'
import { AlertView, alertView, openAlerts } from '../../alerts/index.ts'
import { type FailingRoute, failingRoutes } from '../../health/index.ts'
import {
  createOverviewMemory,
  type Latency,
  type OverviewMemory,
  type OverviewPoint,
  overviewOf,
} from '../overview/overview.ts'
import { type OverviewParts, overviewParts } from '../overview/parts.ts'
import { accountsNamed, usageRoutes } from './usage.ts'

const Milliseconds = Nullable(Type.Integer({ description: 'null where no call was answered' }))

const TOTALS = {
  ...SUM_FIELDS,
  first_byte_p50_ms: Milliseconds,
  first_byte_p95_ms: Milliseconds,
  first_byte_p99_ms: Milliseconds,
  duration_p50_ms: Milliseconds,
}
const TotalsView = Closed(TOTALS)
const PointView = Closed({ ...TimeFields('start'), ...TOTALS })

const RouteView = Closed({
  provider: Type.String(),
  upstream_model: Type.String(),
  failures: Type.Integer(),
  classes: Type.Record(Type.String(), Type.Integer()),
  ...TimeFields('last'),
  last_class: Type.String(),
  last_words: Type.String(),
  last_request_id: Type.String(),
})

const EndingView = Closed({
  model: Type.String(),
  route: Nullable(Type.String({ description: 'the route that ends; null for the model as a whole' })),
  date: Type.String(),
  days: Type.Integer({ description: 'until then; negative once it is past' }),
})

const TopView = Closed({
  /** The most expensive first. */
  models: Type.Array(Closed({ model: Type.String(), ...SUM_FIELDS })),
  further_models: Type.Integer(),
  /** For the operator alone. */
  accounts: Type.Array(
    Closed({ account_id: Type.Integer(), account: Type.String(), ...DISPLAY_NAME, ...SUM_FIELDS }),
  ),
  further_accounts: Type.Integer(),
})
/** Of each, so many are listed. */
const MAX_TOP = 5

const OverviewQuery = Closed({ range: Type.Optional(OneOf(FIGURE_RANGES)) })
const OverviewView = Closed({
  range: OneOf(FIGURE_RANGES),
  ...TimeFields('from'),
  ...TimeFields('until'),
  step_ms: Type.Integer(),
  points: Type.Array(PointView),
  totals: TotalsView,
  before: TotalsView,
  is_sampled: Type.Boolean({ description: 'times are those of some calls of each point, not of all' }),
  top: TopView,
  /** For the operator alone. */
  failing: Nullable(Closed({ routes: Type.Array(RouteView), complete: Type.Boolean() })),
  /** Models and providers of which every call fails; for the operator alone. */
  /** Those that are open; for the operator alone. */
  alerts: Nullable(Type.Array(AlertView)),
  /** Models and routes that end within 30 days or have ended; for the operator alone. */
  ending: Nullable(Type.Array(EndingView)),
  /** Of the account that looks; null for the operator. */
  money: Nullable(Closed({ ...MoneyFields('available'), ...MoneyFields('held'), ...MoneyFields('debt') })),
})

const DEFAULT_RANGE: FigureRange = 'day'
/** It reads some thousand calls or sums. */
const COUNTS_AS = 10

/** All routes of the pages Overview and Usage. */
export const consoleRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-usage-all' }).use(usageRoutes(gateway)).use(overviewRoutes(gateway))

/** `GET /console/api/overview?range=`: of all calls for the operator, of its own for an account. */
function overviewRoutes(gateway: ConsoleParts) {
  const memory = createOverviewMemory()
  return new Elysia({ name: 'console-overview' })
    .use(viewerCalls(gateway, { counts_as: COUNTS_AS }))
    .get(
      '/console/api/overview',
      ({ viewer, query }) => overviewView(gateway, memory, viewer, query.range ?? DEFAULT_RANGE),
      { query: OverviewQuery, response: { 200: OverviewView, ...FAILURES } },
    )
}

async function overviewView(
  gateway: Pick<Gateway, 'calls' | 'db'>,
  memory: OverviewMemory,
  viewer: Viewer,
  range: FigureRange,
): Promise<Static<typeof OverviewView>> {
  const { db } = gateway
  const { catalogue, now } = gateway.calls
  requireWholeAccount(viewer)
  const account_id = accountOf(viewer)
  const overview = await overviewOf(db, range, { account_id, now_ms: now(), memory })
  const { from_ms, until_ms, step_ms, points, totals, before, is_sampled } = overview
  const is_operator = account_id === undefined
  const first_id = overview.first_call_id ?? Number.MAX_SAFE_INTEGER
  return {
    range,
    ...time('from', from_ms),
    ...time('until', until_ms),
    step_ms,
    points: points.map((point) => pointView(point, is_operator)),
    totals: totalsView(totals, is_operator),
    before: totalsView(before, is_operator),
    is_sampled,
    top: await topView(db, await overviewParts(db, overview, account_id), is_operator),
    failing: is_operator ? failingRoutesView(await failingRoutes(db, { from_ms, first_id })) : null,
    alerts: is_operator ? (await openAlerts(db)).map(alertView) : null,
    ending: is_operator ? endingView(catalogue().models.values(), now()) : null,
    money: is_operator ? null : await moneyView(db, account_id),
  }
}

const pointView = (
  { start_ms, ...point }: OverviewPoint,
  is_operator: boolean,
): Static<typeof PointView> => ({
  ...time('start', start_ms),
  ...totalsView(point, is_operator),
})

const totalsView = (
  { cost_nanos, provider_cost_nanos, known_revenue_nanos, ...totals }: MoneyTotals & Latency,
  is_operator: boolean,
): Static<typeof TotalsView> => ({
  ...totals,
  ...money('cost', cost_nanos),
  ...marginOfSum({ provider_cost_nanos, known_revenue_nanos }, is_operator),
})

async function topView(
  db: Gateway['db'],
  parts: OverviewParts,
  is_operator: boolean,
): Promise<Static<typeof TopView>> {
  const accounts = is_operator ? parts.accounts : []
  const top = await accountsNamed(db, accounts.slice(0, MAX_TOP))
  return {
    models: parts.models.slice(0, MAX_TOP).map((sum) => ({ model: sum.model, ...sumView(sum, is_operator) })),
    further_models: Math.max(0, parts.models.length - MAX_TOP),
    accounts: top.map(({ account_id, account, account_display_name, ...sum }) => ({
      account_id,
      account,
      account_display_name,
      ...sumView(sum, is_operator),
    })),
    further_accounts: Math.max(0, accounts.length - MAX_TOP),
  }
}

const failingRoutesView = ({ routes, complete }: { routes: FailingRoute[]; complete: boolean }) => ({
  routes: routes.map(({ last_at_ms, ...route }) => ({ ...route, ...time('last', last_at_ms) })),
  complete,
})

const endingView = (models: Iterable<Model>, now_ms: number): Static<typeof EndingView>[] =>
  endingsOf(models, now_ms).map(({ route, ...ending }) => ({
    ...ending,
    route: route ? `${route.provider}:${route.model}` : null,
  }))

async function moneyView(db: Gateway['db'], id: number): Promise<Static<typeof OverviewView>['money']> {
  const account = await accountQueries(db).accountById.get({ id })
  if (!account) return null
  const { balance_nanos, held_nanos, debt_nanos } = account
  return {
    ...money('available', balance_nanos - held_nanos),
    ...money('held', held_nanos),
    ...money('debt', debt_nanos),
  }
}
