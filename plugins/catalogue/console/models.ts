// Models in the console: price, providers, and calls of the last seven days.
import type { Static } from '@sinclair/typebox'
import { and, gte } from 'drizzle-orm'
import { Elysia } from 'elysia'
import { compileModelPatterns } from '../../../src/access/model-patterns.ts'
import { accountQueries, keyQueries } from '../../../src/access/queries.ts'
import { accountOf, onlyKeysOf, type Viewer } from '../../../src/access/viewer.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { CsvFile, listCsv, onePart } from '../../../src/app/surface/console/list-csv.ts'
import { sumView } from '../../../src/app/surface/console/sum-views.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { inputsOf } from '../../../src/catalogue/takes.ts'
import { type Catalogue, isServed, type Model, type Route } from '../../../src/domain/catalogue.ts'
import { notFound } from '../../../src/domain/errors.ts'
import { endOf, WARNED_DAYS } from '../../../src/domain/model-ends.ts'
import { formatUsd } from '../../../src/domain/money.ts'
import { modelsFor } from '../../../src/domain/price-groups.ts'
import { UTC, type Zone } from '../../../src/domain/zones.ts'
import { type CsvColumns, csvUsd } from '../../../src/http/csv.ts'
import { ModelName } from '../../../src/http/parameters.ts'
import { readZone, ZONE_PARAMETER } from '../../../src/http/period.ts'
import { Closed } from '../../../src/http/schema.ts'
import { isInPeriods, weekDifference, weekStart } from '../../../src/money/ledger/local-weeks.ts'
import { isDay } from '../../../src/money/ledger/queries.ts'
import { addTotals, type CallTotals, NO_CALLS, totalsOfSums } from '../../../src/money/ledger/totals.ts'
import { marginLines } from '../../../src/money/pricing/price-lines.ts'
import type { Db, Orm } from '../../../src/store/db.ts'
import { placeholder } from '../../../src/store/placeholders.ts'
import { perAccount } from '../../../src/store/prepared.ts'
import { call_sums } from '../../../src/store/schema.ts'
import { healthView, lastFailureView, type VisibleHealth, visibleHealth } from '../../health/index.ts'
import { linesView, marginsView } from '../../prices/index.ts'
import { ModelDetailView, ModelsView, type ModelView, type RouteView } from './model-views.ts'

/** Totals of a model's calls to add to its week, or to subtract from it. */
interface ModelCalls extends CallTotals {
  model: string
}

const queries = perAccount((account) => ({
  days: (orm: Orm) =>
    orm
      .select({ model: call_sums.model, ...totalsOfSums() })
      .from(call_sums)
      .where(
        and(account(call_sums), isDay(account(call_sums)), gte(call_sums.start_s, placeholder('from_s'))),
      )
      .groupBy(call_sums.model),
  periods: (orm: Orm) =>
    orm
      .select({ model: call_sums.model, ...totalsOfSums() })
      .from(call_sums)
      .where(and(account(call_sums), isInPeriods))
      .groupBy(call_sums.model),
}))

const linesText = (price: Static<typeof ModelView>['price']): string =>
  price
    .map(({ name, of, price_nanos, per }) => `${name}${of && ` ${of}`}: ${formatUsd(price_nanos)} per ${per}`)
    .join('; ')

const MODEL_COLUMNS: CsvColumns<Static<typeof ModelView>> = {
  model: ({ id }) => id,
  display_name: ({ display_name }) => display_name,
  kind: ({ kind }) => kind,
  state: ({ state }) => state,
  takes: ({ takes }) => takes?.join(' ') ?? '',
  context_tokens: ({ context_tokens }) => context_tokens ?? '',
  prices_usd: ({ price }) => linesText(price),
  calls_in_7_days: ({ week }) => week.calls,
  failed_in_7_days: ({ week }) => week.failed,
  cost_in_7_days_usd: ({ week }) => csvUsd(week.cost_nanos),
}

/** Each margin follows the revenue that it belongs to. */
const MODEL_COLUMNS_OF_OPERATOR: CsvColumns<Static<typeof ModelView>> = {
  ...MODEL_COLUMNS,
  revenue_with_known_cost_usd: ({ week }) => csvUsd(week.known_revenue_nanos),
  provider_cost_usd: ({ week }) => csvUsd(week.provider_cost_nanos),
  margin_usd: ({ week }) => csvUsd(week.margin_nanos),
  costs_usd: ({ routes = [] }) =>
    routes.map(({ provider, cost }) => `${provider}: ${cost ? linesText(cost) : 'unknown'}`).join('; '),
  routes: ({ routes = [] }) => routes.map(({ provider, model }) => `${provider}:${model}`).join(' '),
}

const ZoneQuery = Closed(ZONE_PARAMETER)

/** Routes of models. The operator sees all models, others those that they may call. */
export function modelRoutes(gateway: ConsoleParts & Pick<Gateway, 'operations'>) {
  const { db } = gateway
  const { catalogue, now } = gateway.calls

  /** Returns models at list prices for the staff, else at the prices of the viewer's account. */
  async function modelsAtPricesOf(viewer: Viewer): Promise<ReadonlyMap<string, Model>> {
    const id = accountOf(viewer)
    const account = id === undefined ? undefined : await accountQueries(db).accountById.get({ id })
    return modelsFor(catalogue(), account?.price_group ?? null)
  }

  /** @throws GatewayError not_found for a model that the viewer may not see */
  async function find(viewer: Viewer, id: string): Promise<Model> {
    const model = (await modelsAtPricesOf(viewer)).get(id)
    const isVisible = await visibleTo(viewer)
    if (model && isVisible(model)) return model
    throw notFound(`Model "${id}" not found.`, { param: 'id' })
  }

  /** Accounts see every served model, since they may have a key for any. A key sees the models that it may call. */
  async function visibleTo(viewer: Viewer): Promise<(model: Model) => boolean> {
    if (viewer.side === 'operator') return () => true
    if (viewer.side === 'account') return isServed
    const [key] = await keyQueries(db).keysById.all({ id: viewer.key_id })
    const mayCall = compileModelPatterns(key?.models ?? null)
    return (model) => isServed(model) && mayCall(model.id)
  }

  const weekOf = (viewer: Viewer, zone = UTC) => weekFor(db, viewer, { now_ms: now(), zone })

  async function all(viewer: Viewer, query: Static<typeof ZoneQuery>): Promise<Static<typeof ModelView>[]> {
    const week = Map.groupBy(await weekOf(viewer, readZone(query)), ({ model }) => model)
    const models = [...(await modelsAtPricesOf(viewer)).values()].filter(await visibleTo(viewer))
    const seen = await visibleHealth(gateway, viewer)
    return models.map((model) => modelView(model, week.get(model.id) ?? [], seen, now()))
  }

  return new Elysia({ name: 'console-models' })
    .use(viewerCalls(gateway))
    .get('/console/api/models', async ({ viewer, query }) => ({ models: await all(viewer, query) }), {
      query: ZoneQuery,
      response: { 200: ModelsView, ...FAILURES },
    })
    .get(
      '/console/api/models.csv',
      async ({ viewer, query }) => {
        const columns = viewer.side === 'operator' ? MODEL_COLUMNS_OF_OPERATOR : MODEL_COLUMNS
        return listCsv(gateway, viewer, { list: 'models', columns, parts: onePart(await all(viewer, query)) })
      },
      { query: ZoneQuery, response: { 200: CsvFile, ...FAILURES } },
    )
    .get(
      '/console/api/models/detail',
      async ({ viewer, query }) => {
        const model = await find(viewer, query.id)
        const week = (await weekOf(viewer)).filter((calls) => calls.model === model.id)
        const view = modelView(model, week, await visibleHealth(gateway, viewer), now())
        const groups = viewer.side === 'operator' ? { groups: groupPrices(catalogue(), model) } : {}
        return { ...withMargins(view, model), ...groups }
      },
      {
        query: Closed({ id: ModelName }),
        response: { 200: ModelDetailView, ...FAILURES },
      },
    )
}

/** Returns the model's price in each group that does not pay the list price. */
const groupPrices = ({ price_groups }: Catalogue, { id, price: list_price }: Model) =>
  [...price_groups.values()].flatMap(({ name, models }) => {
    const model = models.get(id)
    if (!model || model.price === list_price) return []
    const margins = model.routes.flatMap(({ cost }) => (cost ? marginLines(model.price, cost) : []))
    const loses = margins.some(({ price_nanos, cost_nanos }) => price_nanos < (cost_nanos ?? 0))
    return [{ name, price: linesView(model.price).filter(isPricedLine(model)), loses }]
  })

/** Filters price lines: embeddings have no output, although their price has a rate for it. */
const isPricedLine =
  ({ kind }: Model) =>
  ({ name }: { name: string }): boolean =>
    kind !== 'embedding' || name === 'input'

function modelView(
  model: Model,
  week: readonly ModelCalls[],
  seen: VisibleHealth,
  now_ms: number,
): Static<typeof ModelView> {
  const is_text = model.kind === 'text'
  const { is_operator } = seen
  const health = seen.health.ofModel(model.id)
  return {
    id: model.id,
    display_name: model.display_name,
    kind: model.kind,
    state: stateOf(model),
    why: (is_operator ? model.unavailable : undefined) ?? null,
    end: endView(model, now_ms),
    price: linesView(model.price).filter(isPricedLine(model)),
    takes: inputsOf(model)?.slice() ?? null,
    context_tokens: is_text ? model.context : null,
    max_output_tokens: is_text ? model.max_output_tokens : null,
    health_state: health.state,
    ...(is_operator
      ? { health: healthView(health), routes: model.routes.map((route) => routeView(model.id, route, seen)) }
      : {}),
    week: sumsView(week, is_operator),
  }
}

/** Adds the margins of each route, for viewers who see routes. */
function withMargins({ routes, ...view }: Static<typeof ModelView>, model: Model) {
  if (!routes) return view
  const marginsOf = (route: Route | undefined) =>
    marginsView(marginLines(model.price, route?.cost)).filter(isPricedLine(model))
  return { ...view, routes: routes.map((route, at) => ({ ...route, margins: marginsOf(model.routes[at]) })) }
}

function endView(model: Model, now_ms: number): Static<typeof ModelView>['end'] {
  const end = endOf(model, now_ms)
  return end ? { ...end, is_near: end.days <= WARNED_DAYS } : null
}

const routeView = (
  model: string,
  { cost, ...route }: Route,
  { health, failures }: VisibleHealth,
): Static<typeof RouteView> => ({
  ...route,
  health: healthView(health.ofRoute(model, route.provider, route.model)),
  last_failure: lastFailureView(
    failures,
    (failing) => failing.provider === route.provider && failing.upstream_model === route.model,
  ),
  cost: cost ? linesView(cost) : null,
})

function stateOf({ retired, unavailable }: Model): 'served' | 'retired' | 'unavailable' {
  if (retired) return 'retired'
  return unavailable === undefined ? 'served' : 'unavailable'
}

function sumsView(week: readonly ModelCalls[], is_operator: boolean) {
  const sum = { ...NO_CALLS }
  for (const calls of week) addTotals(sum, calls)
  return sumView(sum, is_operator)
}

/** Returns calls of the last seven days in a zone. Empty for a viewer limited to some keys: the sums cover whole accounts. */
async function weekFor(
  db: Db,
  viewer: Viewer,
  { now_ms, zone }: { now_ms: number; zone: Zone },
): Promise<ModelCalls[]> {
  if (onlyKeysOf(viewer) !== undefined) return []
  const account_id = accountOf(viewer)
  const { days, periods } = queries(db, account_id)
  const week: ModelCalls[] = await days.all({ from_s: weekStart(now_ms), account_id })
  for (const { sign, span_s, starts } of weekDifference(now_ms, zone))
    for (const { model, ...calls } of await periods.all({
      span_s,
      starts: JSON.stringify(starts),
      account_id,
    })) {
      const signed = { ...NO_CALLS }
      addTotals(signed, calls, sign)
      week.push({ model, ...signed })
    }
  return week
}
