// Console routes for paying: payment methods, offers, and the creation, payment, cancellation and refresh of orders.
import type { Static } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { accountOf, personOf, requireWholeAccount, type Viewer } from '../../../src/access/viewer.ts'
import {
  byOf,
  type ConsoleParts,
  changed,
  FAILURES,
  type Requester,
  viewerCalls,
} from '../../../src/app/surface/console/calls.ts'
import { MovementHeaders } from '../../../src/app/surface/console/fields.ts'
import { requireAccount, requireChosenAccount } from '../../../src/app/surface/console/references.ts'
import { decimalMinor } from '../../../src/domain/currencies.ts'
import { conflict, GatewayError, isFailure, unprocessable } from '../../../src/domain/errors.ts'
import { formatUsd } from '../../../src/domain/money.ts'
import { money } from '../../../src/http/views.ts'
import type { PaymentProvider } from '../../../src/payment-api.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import { limitsOf } from '../amounts.ts'
import { cancelOrder, createOrderInTx, offerOf, startPayment } from '../ordering.ts'
import { providerOf } from '../parts.ts'
import type { Payments } from '../payments.ts'
import { readAmount } from '../read-amount.ts'
import { refreshOrder } from '../refreshing.ts'
import { wasPaid } from '../states.ts'
import { requirePaymentQuota } from './order-rate.ts'
import { type OrderViewParts, orderView, requireOrder } from './order-view.ts'
import {
  MethodsView,
  OfferQuery,
  OfferView,
  OrderBody,
  OrderParams,
  OrderView,
  StartedView,
} from './views.ts'

/** `GET /console/api/payment-methods`, and `/console/api/payment-offer`: the credit of a payment. */
export const offerRoutes = (gateway: ConsoleParts, payments: Payments) =>
  new Elysia({ name: 'console-payment-offers' })
    .use(viewerCalls(gateway, { reads: 'see_payments' }))
    .get('/console/api/payment-methods', () => methodsView(payments), {
      response: { 200: MethodsView, ...FAILURES },
    })
    .get('/console/api/payment-offer', ({ viewer, query }) => offerView(payments, viewer, query), {
      query: OfferQuery,
      response: { 200: OfferView, ...FAILURES },
    })

/** `POST /console/api/orders`, and for one order `POST …/{id}/pay`, `/cancel` and `/look`. */
export function payingRoutes(gateway: ConsoleParts & OrderViewParts, payments: Payments) {
  const { parts } = payments
  const response = { 200: OrderView, ...FAILURES }
  return new Elysia({ name: 'console-paying' })
    .use(viewerCalls(gateway, { reads: 'see_payments', changes: 'pay' }))
    .post(
      '/console/api/orders',
      async ({ viewer, origin, body, headers }) => {
        const id = await orderTopUp(gateway, payments, { viewer, origin }, body, headers['idempotency-key'])
        return await startOrder(gateway, payments, viewer, id)
      },
      { headers: MovementHeaders, body: OrderBody, response: { 200: StartedView, ...FAILURES } },
    )
    .post(
      '/console/api/orders/:id/pay',
      async ({ viewer, params }) => {
        const { account_id } = await requireOrder(gateway, viewer, params.id)
        requirePaymentQuota(viewer, account_id, payments.page_payments)
        const { go_to } = await startPayment(parts, params.id)
        return {
          order: await orderView(gateway, payments, viewer, params.id),
          go_to: go_to ?? null,
          problem: null,
        }
      },
      { params: OrderParams, response: { 200: StartedView, ...FAILURES } },
    )
    .post(
      '/console/api/orders/:id/cancel',
      async ({ viewer, origin, params }) => {
        // The order may have been paid a moment ago.
        await refreshIfStarted(gateway, payments, viewer, params.id)
        const { pending_since_ms } = await requireOrder(gateway, viewer, params.id)
        if (pending_since_ms !== null)
          throw conflict('The payment is on its way, so the order cannot be cancelled. Wait for it.', {
            code: 'payment_pending',
          })
        const source = viewer.side === 'operator' ? 'operator' : 'page'
        await cancelOrder(parts, params.id, { source, by: byOf(gateway, { viewer, origin }) })
        return await orderView(gateway, payments, viewer, params.id)
      },
      { params: OrderParams, response },
    )
    .post(
      '/console/api/orders/:id/look',
      async ({ viewer, params }) => {
        await requireOrder(gateway, viewer, params.id)
        await refreshForPage(gateway, payments, viewer, params.id)
        return await orderView(gateway, payments, viewer, params.id)
      },
      { params: OrderParams, response },
    )
}

function methodsView({ parts, settings }: Payments): Static<typeof MethodsView> {
  const { presets, rates, bonuses } = settings()
  return {
    methods: parts.providers().map((provider) => ({
      name: provider.name,
      title: provider.title,
      is_test: provider.is_test ?? false,
      charges_cards: provider.chargeSaved !== undefined,
      currencies: provider.currencies.flatMap((currency) => {
        const rate_nanos = rates.get(currency)
        const { min_minor, max_minor } = limitsOf(provider, currency)
        return rate_nanos === undefined
          ? []
          : {
              currency,
              min: decimalMinor(min_minor, currency),
              max: decimalMinor(max_minor, currency),
              rate_usd: formatUsd(rate_nanos),
            }
      }),
    })),
    presets: [...presets],
    bonuses: bonuses
      .toSorted((one, other) => one.from_nanos - other.from_nanos)
      .map(({ from_nanos, per_mille }) => ({ ...money('from', from_nanos), percent: per_mille / 10 })),
  }
}

type Wanted = Omit<Static<typeof OfferQuery>, 'account'>

/** @throws GatewayError as `offerOf`; invalid_request for an invalid amount */
async function offerView(
  { parts, settings }: Payments,
  viewer: Viewer,
  wanted: Wanted,
): Promise<Static<typeof OfferView>> {
  const { currency } = wanted
  const amount_minor = readAmount(wanted)
  const { rate_nanos, credit_nanos, bonus_nanos } = offerOf(settings(), methodOf(parts, wanted), {
    currency,
    amount_minor,
  })
  return {
    currency,
    amount: decimalMinor(amount_minor, currency),
    rate_usd: formatUsd(rate_nanos),
    ...money('credit', credit_nanos + bonus_nanos),
    ...money('bonus', bonus_nanos),
    ...money('welcome', await ownShare(parts, accountOf(viewer), credit_nanos)),
  }
}

/** Returns the share that a payment made now would give to its payer, such as a welcome credit. */
async function ownShare(
  { shares }: Payments['parts'],
  account_id: number | undefined,
  credit_nanos: number,
): Promise<number> {
  if (account_id === undefined) return 0
  const all = (await shares?.({ id: 0, account_id, credit_nanos })) ?? []
  return all
    .filter((share) => share.account_id === account_id)
    .reduce((sum, { amount_nanos }) => sum + amount_nanos, 0)
}

const methodOf = (parts: Payments['parts'], { method }: Wanted): PaymentProvider => providerOf(parts, method)

/** Returns the account to pay for. @throws GatewayError unprocessable if it is closed */
export async function requireOpenAccount(
  gateway: ConsoleParts & OrderViewParts,
  viewer: Viewer,
  reference: string | undefined,
): Promise<number> {
  requireWholeAccount(viewer)
  const { id } = await requireChosenAccount(gateway.db, viewer, reference)
  if ((await requireAccount(gateway, String(id))).status === 'closed')
    throw unprocessable('This account is closed, so nothing can be paid for it. Reopen it first.', {
      code: 'account_closed',
    })
  return id
}

/** @returns the ID of the order; for a repeated idempotency key, of the first order */
async function orderTopUp(
  gateway: ConsoleParts & OrderViewParts,
  { parts, settings, page_orders }: Payments,
  asking: Requester,
  body: Static<typeof OrderBody>,
  request_key: string | undefined,
): Promise<number> {
  const { viewer } = asking
  const account_id = await requireOpenAccount(gateway, viewer, body.account)
  requirePaymentQuota(viewer, account_id, page_orders)
  const { currency, method } = body
  const request = {
    account_id,
    person_id: personOf(viewer),
    kind: 'top_up' as const,
    ...{ method, currency, request_key },
    amount_minor: readAmount(body),
  }
  const { id } = await changed(gateway, asking, (tx) => createOrderInTx(tx, parts, settings(), request))
  return id
}

/** Starts the payment of an order. If the payment method fails, reports the problem: the order can still be paid from its page. */
export async function startOrder(
  gateway: ConsoleParts & OrderViewParts,
  payments: Payments,
  viewer: Viewer,
  id: number,
): Promise<Static<typeof StartedView>> {
  const { state } = await requireOrder(gateway, viewer, id)
  let go_to: string | undefined
  let problem: string | null = null
  try {
    if (state === 'open') go_to = (await startPayment(payments.parts, id)).go_to
  } catch (thrown) {
    payments.parts.log.warn({ order: id, cause: thrown }, 'a payment could not be started')
    problem = messageOf(thrown)
  }
  return { order: await orderView(gateway, payments, viewer, id), go_to: go_to ?? null, problem }
}

/** Per order, for pages of accounts; further refreshes are skipped. */
const MAX_REFRESHES_A_MINUTE = 10

/** Refreshes an order for a page. @throws GatewayError as `refreshOrder`, for the staff */
async function refreshForPage(
  gateway: Pick<ConsoleParts, 'db' | 'calls'>,
  { parts, page_looks }: Payments,
  viewer: Viewer,
  id: number,
): Promise<void> {
  const { state } = await requireOrder(gateway, viewer, id)
  const is_staff = viewer.side === 'operator'
  if (!is_staff && (wasPaid(state) || !page_looks.take(id, MAX_REFRESHES_A_MINUTE).admitted)) return
  try {
    await refreshOrder(parts, id, { source: 'page' })
  } catch (thrown) {
    // The poller retries, as `refreshOrder` has scheduled; the page shows the last known state.
    if (is_staff || !isMethodUnavailable(thrown)) throw thrown
  }
}

/** Whether a payment method does not answer, or is no longer set up. */
const isMethodUnavailable = (thrown: unknown): boolean =>
  isFailure(thrown) || (thrown instanceof GatewayError && thrown.code === 'no_payment_method')

/** Refreshes a started payment. A silent method or the rate limit does not prevent a cancellation: a payment that arrives later is credited. */
async function refreshIfStarted(
  gateway: Pick<ConsoleParts, 'db' | 'calls'>,
  { parts, page_looks }: Payments,
  viewer: Viewer,
  id: number,
): Promise<void> {
  const { state, reference } = await requireOrder(gateway, viewer, id)
  if (state !== 'open' || reference === null || !page_looks.take(id, MAX_REFRESHES_A_MINUTE).admitted) return
  try {
    await refreshOrder(parts, id, { source: 'page' })
  } catch (thrown) {
    if (!isMethodUnavailable(thrown)) throw thrown
  }
}
