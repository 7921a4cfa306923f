// Creation, start and cancellation of payment orders: rate, credit and bonus are fixed before the customer pays.
import type { ActionContext } from '../../src/domain/actions.ts'
import { formatMinor } from '../../src/domain/currencies.ts'
import {
  conflict,
  GatewayError,
  invalidRequest,
  rateLimited,
  unprocessable,
} from '../../src/domain/errors.ts'
import { formatUsd, type Nanos } from '../../src/domain/money.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import type { PaymentProvider, StartedPayment } from '../../src/payment-api.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Tx } from '../../src/store/db.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { isPayable } from '../plans/index.ts'
import { creditOf, limitsOf } from './amounts.ts'
import { awaitStarted } from './answers.ts'
import { isDueForCharge, isLateCharge } from './automatic/charging.ts'
import { type Cause, changeOf } from './changes.ts'
import { orderByRequestKey } from './order-by-request-key.ts'
import { matchesMode, methodUnavailable, type PaymentParts, paymentOrderOf, providerOf } from './parts.ts'
import { nextRefresh } from './schedule.ts'
import type { PaymentSettings } from './settings.ts'
import { countOpenOrders, insertOrder, orderById, saveReference } from './store.ts'
import type { Order, OrderKind } from './tables.ts'

export interface OrderRequest {
  account_id: number
  /** Absent: the gateway, or a command. */
  person_id?: number | undefined
  kind: OrderKind
  /** Name of the payment method. */
  method: string
  currency: string
  amount_minor: number
  /** Idempotency key: a repeated request with this key returns the first order. */
  request_key?: string | undefined
  /** The plan month that the order pays for. */
  plan_period_id?: number
}

/** The credit that an order would give, also for the form before the order exists. */
export interface Offer {
  rate_nanos: Nanos
  credit_nanos: Nanos
  bonus_nanos: Nanos
}

/** Per account. The gateway polls each open order at the payment provider until it expires. */
export const MAX_OPEN_ORDERS = 20

/** Returns the credit for a payment. @throws GatewayError invalid_request for a currency or an amount that the method does not accept */
export function offerOf(
  { rates, bonuses }: PaymentSettings,
  provider: PaymentProvider,
  { currency, amount_minor }: Pick<OrderRequest, 'currency' | 'amount_minor'>,
): Offer {
  const rate_nanos = rates.get(currency)
  if (rate_nanos === undefined || !provider.currencies.includes(currency)) {
    const accepted = provider.currencies.filter((one) => rates.has(one))
    throw invalidRequest(`currency: ${provider.title} takes ${accepted.join(', ') || 'no currency'}.`, {
      param: 'currency',
    })
  }
  const { min_minor, max_minor } = limitsOf(provider, currency)
  if (!Number.isSafeInteger(amount_minor) || amount_minor < min_minor || amount_minor > max_minor)
    throw invalidRequest(
      amount_minor < min_minor
        ? `amount: must be at least ${formatMinor(min_minor, currency)}.`
        : `amount: must be at most ${formatMinor(max_minor, currency)}.`,
      { param: 'amount' },
    )
  const credit = creditOf({ amount_minor, currency, rate_nanos }, bonuses)
  if (!credit) throw invalidRequest('amount: is more than can be credited. Write less.', { param: 'amount' })
  if (credit.credit_nanos === 0)
    throw invalidRequest('amount: is too small to give any credit. Write more.', { param: 'amount' })
  return { rate_nanos, ...credit }
}

/**
 * Creates an order in the caller's transaction. `startPayment` then returns the page to pay on.
 *
 * @returns the existing order if the account has requested it with the same idempotency key before
 * @throws GatewayError as `offerOf`; unprocessable for a method that is not set up, and for a key of a different order; rate_limited for too
 * many open orders
 */
export async function createOrderInTx(
  tx: Tx,
  parts: Pick<PaymentParts, 'providers' | 'now'>,
  settings: PaymentSettings,
  request: OrderRequest,
): Promise<Order> {
  const { account_id, person_id = null, kind, currency, amount_minor } = request
  const { request_key = null, plan_period_id = null } = request
  await tx.lock(account_id)
  const first = request_key === null ? undefined : await orderByRequestKey(tx, account_id, request_key)
  if (first) return requireSameOrder(first, request)
  const provider = providerOf(parts, request.method)
  // Bonuses are for top-ups, not for the price of a plan.
  const offer = offerOf(plan_period_id === null ? settings : { ...settings, bonuses: [] }, provider, request)
  if ((await countOpenOrders(tx, account_id)) >= MAX_OPEN_ORDERS)
    throw rateLimited(`The account has ${MAX_OPEN_ORDERS} open orders. Pay or cancel one of them first.`, {
      code: 'too_many_open_orders',
    })
  const now_ms = parts.now()
  const expires_at_ms = now_ms + (provider.expires_ms ?? DAY_MS)
  const order = await insertOrder(tx, {
    ...{
      account_id,
      person_id,
      kind,
      provider: provider.name,
      currency,
      amount_minor,
      ...offer,
      request_key,
      plan_period_id,
    },
    created_at_ms: now_ms,
    expires_at_ms,
    next_look_at_ms: nextRefresh(
      { state: 'open', created_at_ms: now_ms, changed_at_ms: now_ms, expires_at_ms, paid_at_ms: null },
      false,
      now_ms,
    ),
    is_live: provider.is_test === true ? 0 : 1,
  })
  await recordAction(tx, {
    action: 'order.created',
    account_id,
    subject: String(order.id),
    after: {
      method: provider.name,
      amount: formatMinor(amount_minor, currency),
      credit_usd: formatUsd(offer.credit_nanos + offer.bonus_nanos),
    },
  })
  return order
}

/** Creates an order in a new transaction; see `createOrderInTx`. */
export const createOrder = (
  parts: PaymentParts,
  settings: PaymentSettings,
  request: OrderRequest,
  by?: ActionContext,
): Promise<Order> => parts.db.begin((tx) => createOrderInTx(tx, parts, settings, request), by ? { by } : {})

function requireSameOrder(first: Order, { method, kind, currency, amount_minor }: OrderRequest): Order {
  const is_same =
    first.provider === method &&
    first.kind === kind &&
    first.currency === currency &&
    first.amount_minor === amount_minor
  if (is_same) return first
  throw keyReused(first)
}

export const keyReused = ({ id }: Pick<Order, 'id'>): GatewayError =>
  unprocessable(
    `This Idempotency-Key belongs to order ${id}, which is another one. Use a new key for each order.`,
    { code: 'idempotency_key_reused' },
  )

/**
 * Starts the payment of an open order. For an order whose payment was started before, the provider returns the same payment.
 *
 * @throws GatewayError conflict for an order that is not open, is automatic, has a pending payment, was created in the method's other mode, or is
 * for a plan that it can no longer buy; upstream_failed if the provider does not answer: the order stays open
 */
export async function startPayment(parts: PaymentParts, order_id: number): Promise<StartedPayment> {
  const order = await orderById(parts.db, order_id)
  if (order.state !== 'open' || parts.now() >= order.expires_at_ms) throw orderClosed(order)
  if (order.pending_since_ms !== null)
    throw conflict('The payment is on its way, so the order cannot be paid again. Wait for it.', {
      code: 'payment_pending',
    })
  if (order.kind === 'automatic') throw chargeInProgress(order, parts.now())
  await requireUnpaidMonth(parts, order)
  const provider = providerOf(parts, order.provider)
  if (!matchesMode(order, provider)) throw modeChanged(order)
  let started: StartedPayment
  try {
    started = await awaitStarted(provider.start(await paymentOrderOf(parts, order)))
  } catch (cause) {
    throw methodUnavailable(provider, cause)
  }
  await saveReference(parts.db, order, started.reference)
  return started
}

const orderClosed = ({ id, state }: Order): GatewayError =>
  new GatewayError('conflict', `Order ${id} is ${state === 'open' ? 'expired' : state}. Make a new one.`, {
    code: 'order_closed',
  })

const chargeInProgress = (order: Order, now_ms: number): GatewayError =>
  conflict(
    isLateCharge(order, now_ms)
      ? `The payment method has not said whether the card was charged for order ${order.id}. Ask the operator to cancel it.`
      : `The saved card is being charged for order ${order.id}. Wait a minute.`,
    { code: 'order_charged_automatically' },
  )

/** Refuses a payment for a plan month that it can no longer start: it would only add balance. */
async function requireUnpaidMonth({ db }: PaymentParts, { id, plan_period_id }: Order): Promise<void> {
  if (await isPayable(db, plan_period_id)) return
  throw conflict(
    `Order ${id} is for a plan that cannot begin with it now: the account is suspended, or its plan was paid, changed or cancelled meanwhile. Cancel the order, then buy a plan or add funds.`,
    { code: 'plan_changed' },
  )
}

const modeChanged = ({ id, is_live }: Order): GatewayError =>
  conflict(
    `Order ${id} was made while its payment method was ${is_live === 1 ? 'not ' : ''}in test mode. Make a new one.`,
    { code: 'order_closed' },
  )

/**
 * Cancels an open order. If its saved card may have been charged, only the staff may cancel it, and only once no new charge can start.
 *
 * @throws GatewayError not_found; conflict if the order is not open, or its saved card may have been charged
 */
export async function cancelOrder(parts: PaymentParts, order_id: number, cause: Cause): Promise<void> {
  await parts.db.begin(
    async (tx) => {
      const order = await orderById(tx, order_id)
      const is_by_staff = cause.source === 'operator' || cause.source === 'command'
      if (isDueForCharge(order) && !(is_by_staff && isLateCharge(order, parts.now())))
        throw chargeInProgress(order, parts.now())
      const change = { ...changeOf(order, 'cancelled', cause), from: ['open'] }
      if (!(await changeState(tx, change, parts.now()))) throw orderClosed(await orderById(tx, order_id))
      await recordAction(tx, {
        action: 'order.cancelled',
        account_id: order.account_id,
        subject: String(order_id),
      })
    },
    cause.by ? { by: cause.by } : {},
  )
}
