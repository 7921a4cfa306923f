// Console routes of an account's automatic top-up.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { requireWholeAccount, type Viewer } from '../../../src/access/viewer.ts'
import { type ConsoleParts, changed, FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { AccountRef, readPositiveUsd, UsdText } from '../../../src/app/surface/console/fields.ts'
import { requireChosenAccount } from '../../../src/app/surface/console/references.ts'
import { Closed, Nullable } from '../../../src/http/schema.ts'
import type { Db } from '../../../src/store/db.ts'
import { turnOff } from '../automatic/deciding.ts'
import { chargingMethods, setAutomaticTopUp } from '../automatic/setting.ts'
import { TopUpView, topUpView } from '../automatic/view.ts'
import type { Payments } from '../payments.ts'
import { readAmount } from '../read-amount.ts'
import { methodName } from '../settings.ts'
import { requirePaymentQuota } from './order-rate.ts'
import { Amount, Currency } from './views.ts'

const TopUpQuery = Type.Object({ account: Type.Optional(AccountRef) })
const TopUpBody = Closed({
  account: Type.Optional(AccountRef),
  below_usd: UsdText,
  method: Type.Optional(methodName),
  currency: Currency,
  amount: Amount,
  month_limit: Amount,
})
const View = Closed({
  automatic_top_up: Nullable(TopUpView),
  can_set: Type.Boolean({ description: 'whether a payment method that charges saved cards is set up' }),
})

const PATH = '/console/api/automatic-top-up'
const response = { 200: View, ...FAILURES }

async function chosenAccountId(db: Db, viewer: Viewer, reference: string | undefined): Promise<number> {
  requireWholeAccount(viewer)
  return (await requireChosenAccount(db, viewer, reference)).id
}

const viewOf = async ({ db, calls }: ConsoleParts, { parts }: Payments, account_id: number) => ({
  automatic_top_up: (await topUpView(db, account_id, calls.now())) ?? null,
  can_set: chargingMethods(parts).length > 0,
})

/** `GET` and `DELETE /console/api/automatic-top-up`. Suspended accounts may turn it off, too. */
export function automaticRoutes(gateway: ConsoleParts, payments: Payments) {
  const { db, calls } = gateway
  const view = (account_id: number) => viewOf(gateway, payments, account_id)
  return new Elysia({ name: 'console-automatic-top-up' })
    .use(viewerCalls(gateway, { reads: 'see_payments', changes: 'pay' }))
    .get(PATH, async ({ viewer, query }) => await view(await chosenAccountId(db, viewer, query.account)), {
      query: TopUpQuery,
      response,
    })
    .delete(
      PATH,
      async ({ viewer, origin, query }) => {
        const account_id = await chosenAccountId(db, viewer, query.account)
        await changed(gateway, { viewer, origin }, async (tx) => {
          await tx.lock(account_id)
          await turnOff(tx, account_id, { reason: 'person', now_ms: calls.now() })
        })
        return await view(account_id)
      },
      { query: TopUpQuery, response },
    )
}

/** `PUT /console/api/automatic-top-up`. */
export const automaticSettingRoute = (gateway: ConsoleParts, payments: Payments) =>
  new Elysia({ name: 'console-automatic-top-up-set' })
    .use(viewerCalls(gateway, { reads: 'see_payments', changes: 'buy' }))
    .put(
      PATH,
      async ({ viewer, origin, body }) => {
        const { currency, method } = body
        const account_id = await chosenAccountId(gateway.db, viewer, body.account)
        requirePaymentQuota(viewer, account_id, payments.page_payments)
        const wanted = {
          ...{ account_id, method, currency },
          below_nanos: readPositiveUsd('below_usd', body.below_usd),
          amount_minor: readAmount(body),
          month_limit_minor: readAmount({ amount: body.month_limit, currency }, 'month_limit'),
        }
        const parts = { ...payments.parts, settings: payments.settings }
        await changed(gateway, { viewer, origin }, (tx) => setAutomaticTopUp(tx, parts, wanted))
        return await viewOf(gateway, payments, account_id)
      },
      { body: TopUpBody, response },
    )
