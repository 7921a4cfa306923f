// Console routes for paying plans: prices per payment method, plan orders, and the card for the next months.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { personOf, requireWholeAccount, type Viewer } from '../../../src/access/viewer.ts'
import { type ConsoleParts, changed, FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { AccountRef, MovementHeaders } from '../../../src/app/surface/console/fields.ts'
import { requireChosenAccount } from '../../../src/app/surface/console/references.ts'
import { decimalMinor } from '../../../src/domain/currencies.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import { WholeNumber } from '../../../src/http/parameters.ts'
import { Closed, Nullable } from '../../../src/http/schema.ts'
import { MoneyFields, money } from '../../../src/http/views.ts'
import { QuoteBody } from '../../plans/index.ts'
import { requirePaymentQuota } from '../console/order-rate.ts'
import type { OrderViewParts } from '../console/order-view.ts'
import { requireOpenAccount, startOrder } from '../console/paying.ts'
import { Currency, StartedView } from '../console/views.ts'
import { offerOf } from '../ordering.ts'
import type { Payments } from '../payments.ts'
import { methodName } from '../settings.ts'
import { orderPlanByPayment } from './ordering.ts'
import { paymentAmountFor } from './pricing.ts'
import { chooseRenewal, RenewalView, renewalView } from './renewal.ts'

const Chosen = { account: Type.Optional(AccountRef) }

const PricesQuery = Closed({
  ...Chosen,
  due_nanos: WholeNumber({ minimum: 1 }, 'what is due for the plan, in nano-dollars'),
})
const PricesView = Closed({
  prices: Type.Array(
    Closed({
      method: Type.String(),
      method_title: Type.String(),
      is_test: Type.Boolean({ description: 'no money moves' }),
      currency: Type.String(),
      amount: Type.String({ description: 'amount of the payment, as a decimal number of the currency' }),
      ...MoneyFields('rest', 'What the payment adds to the balance beyond the price'),
    }),
    { description: 'of each payment method, in each of its currencies' },
  ),
})
const OrderBody = Closed({
  ...Chosen,
  plan: Type.String({ minLength: 1, maxLength: 64 }),
  quote: Type.Optional(QuoteBody),
  method: methodName,
  currency: Currency,
})
const RenewalBody = Closed({
  ...Chosen,
  card: Nullable(
    Closed(
      { method: Type.Optional(methodName), currency: Currency },
      { description: 'null: the balance alone pays for the next months' },
    ),
  ),
})
export function planPaymentRoutes(gateway: ConsoleParts & OrderViewParts, payments: Payments) {
  const renewing = { ...payments.parts, settings: payments.settings }
  return new Elysia({ name: 'console-plan-payments' })
    .use(viewerCalls(gateway, { reads: 'see_payments', changes: 'buy' }))
    .get('/console/api/plan-prices', ({ query }) => ({ prices: pricesOf(payments, query.due_nanos) }), {
      query: PricesQuery,
      response: { 200: PricesView, ...FAILURES },
    })
    .post(
      '/console/api/plan-orders',
      async ({ viewer, origin, body: { account: reference, ...wanted }, headers }) => {
        const account_id = await requireOpenAccount(gateway, viewer, reference)
        requirePaymentQuota(viewer, account_id, payments.page_orders)
        const whole = {
          ...{ account_id, person_id: personOf(viewer), request_key: headers['idempotency-key'] },
          ...{ quote: undefined, ...wanted },
        }
        const parts = { ...payments.parts, settings: payments.settings, catalogue: gateway.calls.catalogue }
        const { id } = await changed(gateway, { viewer, origin }, (tx) =>
          orderPlanByPayment(tx, parts, whole),
        )
        return await startOrder(gateway, payments, viewer, id)
      },
      { headers: MovementHeaders, body: OrderBody, response: { 200: StartedView, ...FAILURES } },
    )
    .get(
      '/console/api/plan-renewal',
      async ({ viewer, query }) =>
        await renewalView(gateway.db, renewing, await chosenAccountId(gateway, viewer, query.account)),
      { query: Closed(Chosen), response: { 200: RenewalView, ...FAILURES } },
    )
    .put(
      '/console/api/plan-renewal',
      async ({ viewer, origin, body: { account, card } }) => {
        const account_id = await chosenAccountId(gateway, viewer, account)
        await changed(gateway, { viewer, origin }, (tx) => chooseRenewal(tx, renewing, account_id, card))
        return await renewalView(gateway.db, renewing, account_id)
      },
      { body: RenewalBody, response: { 200: RenewalView, ...FAILURES } },
    )
}

async function chosenAccountId(
  gateway: ConsoleParts,
  viewer: Viewer,
  reference: string | undefined,
): Promise<number> {
  requireWholeAccount(viewer)
  return (await requireChosenAccount(gateway.db, viewer, reference)).id
}

function pricesOf({ parts, settings }: Payments, due_nanos: Nanos): Static<typeof PricesView>['prices'] {
  const { rates } = settings()
  return parts.providers().flatMap((provider) =>
    provider.currencies.flatMap((currency) => {
      const amount_minor = paymentAmountFor({ rates }, provider, currency, due_nanos)
      if (amount_minor === undefined) return []
      const { credit_nanos } = offerOf({ ...settings(), bonuses: [] }, provider, { currency, amount_minor })
      return {
        method: provider.name,
        method_title: provider.title,
        is_test: provider.is_test ?? false,
        currency,
        amount: decimalMinor(amount_minor, currency),
        ...money('rest', credit_nanos - due_nanos),
      }
    }),
  )
}
