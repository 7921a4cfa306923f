// The automatic top-up of an account at the console: seen, set and turned off.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { requireWholeAccount, type Viewer } from '../../../src/access/viewer.ts'
import { type ConsoleParts, changed, FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { AccountRef, readPositiveUsd, UsdText } from '../../../src/app/surface/console/fields.ts'
import { requireChosenAccount } from '../../../src/app/surface/console/references.ts'
import { Closed, Nullable } from '../../../src/http/schema.ts'
import { turnOff } from '../automatic/deciding.ts'
import { chargingMethods, setAutomaticTopUp } from '../automatic/setting.ts'
import { TopUpView, topUpView } from '../automatic/view.ts'
import type { Payments } from '../payments.ts'
import { readAmount } from '../read-amount.ts'
import { methodName } from '../settings.ts'
import { takeOrderOf } from './order-rate.ts'
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

/** `GET`, `PUT` and `DELETE /console/api/automatic-top-up`. */
export function automaticRoutes(gateway: ConsoleParts, { parts, settings, page_payments }: Payments) {
  const { db, calls } = gateway
  const chosen = async (viewer: Viewer, reference: string | undefined): Promise<number> => {
    requireWholeAccount(viewer)
    return (await requireChosenAccount(db, viewer, reference)).id
  }
  const view = async (account_id: number) => ({
    automatic_top_up: (await topUpView(db, account_id, calls.now())) ?? null,
    can_set: chargingMethods(parts).length > 0,
  })
  const response = { 200: View, ...FAILURES }
  const path = '/console/api/automatic-top-up'
  return new Elysia({ name: 'console-automatic-top-up' })
    .use(viewerCalls(gateway, { reads: 'see_payments', changes: 'pay' }))
    .get(path, async ({ viewer, query }) => await view(await chosen(viewer, query.account)), {
      query: TopUpQuery,
      response,
    })
    .put(
      path,
      async ({ viewer, origin, body }) => {
        const { currency, method } = body
        const account_id = await chosen(viewer, body.account)
        takeOrderOf(viewer, account_id, page_payments)
        const wanted = {
          ...{ account_id, method, currency },
          below_nanos: readPositiveUsd('below_usd', body.below_usd),
          amount_minor: readAmount(body),
          month_limit_minor: readAmount({ amount: body.month_limit, currency }, 'month_limit'),
        }
        const setting_parts = { ...parts, settings }
        await changed(gateway, { viewer, origin }, (tx) => setAutomaticTopUp(tx, setting_parts, wanted))
        return await view(account_id)
      },
      { body: TopUpBody, response },
    )
    .delete(
      path,
      async ({ viewer, origin, query }) => {
        const account_id = await chosen(viewer, query.account)
        await changed(gateway, { viewer, origin }, async (tx) => {
          await tx.lock(account_id)
          await turnOff(tx, account_id, { reason: 'person', now_ms: calls.now() })
        })
        return await view(account_id)
      },
      { query: TopUpQuery, response },
    )
}
