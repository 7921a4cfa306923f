// Console routes of plans: offers, the plan of an account, purchase and cancellation, months and revenue.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { availableOf } from '../../src/access/account-listing.ts'
import { consoleList } from '../../src/app/list/pages.ts'
import {
  byOf,
  changed,
  FAILURES,
  operatorCalls,
  type Requester,
  viewerCalls,
} from '../../src/app/surface/console/calls.ts'
import { AccountRef } from '../../src/app/surface/console/fields.ts'
import { requireChosenAccount } from '../../src/app/surface/console/references.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { PERIOD_PARAMETERS, readPeriod } from '../../src/http/period.ts'
import { Closed, Nullable } from '../../src/http/schema.ts'
import { MoneyFields, money, NullableTimeFields, TimeFields, time } from '../../src/http/views.ts'
import type { Tx } from '../../src/store/db.ts'
import { buyPlan } from './buying.ts'
import { cancelPlan, keepPlan } from './cancelling.ts'
import { month_list } from './list.ts'
import { planCounts, revenueByPlan, unusedNanos } from './report.ts'
import { planSettings } from './settings.ts'
import { periodIn, periodsOf } from './store.ts'
import { partsOf } from './sweep.ts'
import { OfferView, offerView, PlanView, planView, QuoteBody } from './views.ts'

const Chosen = { account: Type.Optional(AccountRef) }
const PlanPageView = Closed({
  plan: Nullable(PlanView),
  offered: Type.Array(OfferView),
  ...MoneyFields('available', 'The available balance'),
  ...TimeFields('priced', 'Time of the prices'),
  has_months: Type.Boolean({ description: 'whether the account has ever ordered a plan' }),
})
const BuyBody = Closed({
  ...Chosen,
  plan: Type.String({ minLength: 1, maxLength: 64 }),
  quote: Type.Optional(QuoteBody),
})
const RevenueQuery = Closed(PERIOD_PARAMETERS)
const RevenueView = Closed({
  plans: Type.Array(
    Closed({
      plan: Type.String(),
      title: Type.String(),
      months: Type.Integer({ description: 'number of paid months' }),
      ...MoneyFields('revenue', 'Revenue of these months'),
    }),
    { description: 'largest revenue first' },
  ),
  active: Type.Integer({ description: 'accounts with a plan' }),
  unpaid: Type.Integer({ description: 'accounts with a plan whose next month is not paid' }),
  ending: Type.Integer({ description: 'accounts with a plan that does not renew' }),
  ...MoneyFields('unused', 'Part of the paid months that is not used yet, by time'),
})
const ChangedView = Closed({
  ...NullableTimeFields('changes', 'start or end of the plan; null: it has started, or continues'),
})

export const planConsoleRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-plans' })
    .use(readingRoutes(gateway))
    .use(reportRoutes(gateway))
    .use(buyingRoutes(gateway))
    .use(cancellingRoute(gateway))

/** `GET /console/api/plan`, and the list of months. */
function readingRoutes(gateway: Gateway) {
  const list = consoleList(gateway, month_list)
  return new Elysia({ name: 'console-plans-read' })
    .use(viewerCalls(gateway, { reads: 'see_payments' }))
    .get('/console/api/plans', ({ viewer, query }) => list.page(viewer, query), list.page_route)
    .get('/console/api/plans.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route)
    .get(
      '/console/api/plan',
      async ({ viewer, query }) => {
        const { db, calls } = gateway
        await calls.ledger.barrier()
        const account = await requireChosenAccount(db, viewer, query.account)
        const now_ms = calls.now()
        const active = await periodIn(db, account.id, 'active')
        const open = await periodIn(db, account.id, 'open')
        return {
          plan: await planView(db, account.id, now_ms),
          offered: planSettings
            .of(calls.catalogue())
            .map((plan) => offerView(plan, { active, open }, now_ms)),
          ...money('available', Math.max(0, availableOf(account))),
          ...time('priced', now_ms),
          has_months: (await periodsOf(db, account.id)).length > 0,
        }
      },
      { query: Closed(Chosen), response: { 200: PlanPageView, ...FAILURES } },
    )
}

/** `GET /console/api/plan-revenue`, for the staff. */
const reportRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-plans-report' }).use(operatorCalls(gateway)).get(
    '/console/api/plan-revenue',
    async ({ query }) => {
      const { db, calls } = gateway
      const now_ms = calls.now()
      const { since_ms = 0, until_ms = now_ms + 1 } = readPeriod(query)
      await calls.ledger.barrier()
      const plans = await revenueByPlan(db, { since_ms, until_ms })
      return {
        plans: plans.map(({ revenue_nanos, ...plan }) => ({ ...plan, ...money('revenue', revenue_nanos) })),
        ...(await planCounts(db, now_ms)),
        ...money('unused', await unusedNanos(db, now_ms)),
      }
    },
    { query: RevenueQuery, response: { 200: RevenueView, ...FAILURES } },
  )

/** Changes the plan of the chosen account, in a transaction that has locked it. */
async function inAccount<T>(
  gateway: Gateway,
  asking: Requester,
  account: string | undefined,
  work: (tx: Tx, id: number) => Promise<T>,
): Promise<T> {
  const { id } = await requireChosenAccount(gateway.db, asking.viewer, account)
  return await changed(gateway, asking, async (tx) => {
    await tx.lock(id)
    return await work(tx, id)
  })
}

const response = { 200: ChangedView, ...FAILURES }

/** `POST /console/api/plan/buy` and `…/keep`. */
function buyingRoutes(gateway: Gateway) {
  const { db, calls } = gateway
  return new Elysia({ name: 'console-plans-buy' })
    .use(viewerCalls(gateway, { reads: 'see_payments', changes: 'buy' }))
    .post(
      '/console/api/plan/buy',
      async ({ viewer, origin, body: { account, plan, quote } }) => {
        const { id } = await requireChosenAccount(db, viewer, account)
        const by = byOf(gateway, { viewer, origin })
        const offered = planSettings.of(calls.catalogue())
        const bought = await buyPlan(partsOf(gateway), offered, {
          account_id: id,
          plan,
          by,
          quote,
        })
        return time('changes', bought.changes_at_ms)
      },
      { body: BuyBody, response },
    )
    .post(
      '/console/api/plan/keep',
      async ({ viewer, origin, body }) => {
        await inAccount(gateway, { viewer, origin }, body.account, (tx, id) => keepPlan(tx, id, calls.now()))
        return time('changes', null)
      },
      { body: Closed(Chosen), response },
    )
}

/** `POST /console/api/plan/cancel`, also for a suspended account. */
const cancellingRoute = (gateway: Gateway) =>
  new Elysia({ name: 'console-plans-cancel' })
    .use(viewerCalls(gateway, { reads: 'see_payments', changes: 'pay' }))
    .post(
      '/console/api/plan/cancel',
      async ({ viewer, origin, body }) => {
        const cancel = (tx: Tx, id: number) => cancelPlan(tx, id, gateway.calls.now())
        return time('changes', await inAccount(gateway, { viewer, origin }, body.account, cancel))
      },
      { body: Closed(Chosen), response },
    )
