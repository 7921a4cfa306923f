// The making of orders: what a payment gives is fixed and told before anybody pays.
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
import { startedIn } from './answers.ts'
import { isLateCharge, isToCharge } from './automatic/charging.ts'
import { type Cause, changeOf } from './changes.ts'
import { asSeenByProviders, isInModeOf, notAnswering, type PaymentParts, providerOf } from './parts.ts'
import { orderByRequest } from './requested.ts'
import { nextLook } from './schedule.ts'
import type { PaymentSettings } from './settings.ts'
import { countOpenOrders, insertOrder, keepReference, orderById } from './store.ts'
import type { Order, OrderKind } from './tables.ts'

export interface OrderRequest {
  account_id: number
  /** Absent: the gateway itself, or a command. */
  person_id?: number | undefined
  kind: OrderKind
  /** The name of a payment method. */
  method: string
  currency: string
  amount_minor: number
  /** Asked for again under it, it is the same order. */
  request_key?: string | undefined
  /** The month of a plan that it pays for. */
  plan_period_id?: number
}

/** The credit of an order that is not made yet, for the form. */
export interface Offer {
  rate_nanos: Nanos
  credit_nanos: Nanos
  bonus_nanos: Nanos
}

/** An account has so many open orders at most: each is asked about until it expires. */
export const MAX_OPEN_ORDERS = 20

/** @throws GatewayError invalid_request for a currency or an amount that the method does not take */
export function offerOf(
  { rates, bonuses }: PaymentSettings,
  provider: PaymentProvider,
  { currency, amount_minor }: Pick<OrderRequest, 'currency' | 'amount_minor'>,
): Offer {
  const rate_nanos = rates.get(currency)
  if (rate_nanos === undefined || !provider.currencies.includes(currency)) {
    const taken = provider.currencies.filter((one) => rates.has(one))
    throw invalidRequest(`currency: ${provider.title} takes ${taken.join(', ') || 'no currency'}.`, {
      param: 'currency',
    })
  }
  const { min_minor, max_minor } = limitsOf(provider, currency)
  if (!Number.isSafeInteger(amount_minor) || amount_minor < min_minor || amount_minor > max_minor)
    throw invalidRequest(
      `amount: ${provider.title} takes ${formatMinor(min_minor, currency)} to ${formatMinor(max_minor, currency)} at once.`,
      { param: 'amount' },
    )
  const credit = creditOf({ amount_minor, currency, rate_nanos }, bonuses)
  if (!credit) throw invalidRequest('amount: is more than can be credited. Write less.', { param: 'amount' })
  if (credit.credit_nanos === 0)
    throw invalidRequest('amount: is too small to give any credit. Write more.', { param: 'amount' })
  return { rate_nanos, ...credit }
}

/**
 * Makes an order in the caller's transaction. It is paid once `startPayment` has said where.
 *
 * @returns the first one where the account has asked for it under the same key before
 * @throws GatewayError as `offerOf`; unprocessable for a method that is not set up, and for a key that another order was asked for with;
 * rate_limited for too many open orders
 */
export async function makeOrderIn(
  tx: Tx,
  parts: Pick<PaymentParts, 'providers' | 'now'>,
  settings: PaymentSettings,
  request: OrderRequest,
): Promise<Order> {
  const { account_id, person_id = null, kind, currency, amount_minor } = request
  const { request_key = null, plan_period_id = null } = request
  await tx.lock(account_id)
  const first = request_key === null ? undefined : await orderByRequest(tx, account_id, request_key)
  if (first) return sameOrder(first, request)
  const provider = providerOf(parts, request.method)
  // The price of a plan is what it is: bonuses are for top-ups.
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
    next_look_at_ms: nextLook(
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

/** The same in a transaction of its own. */
export const makeOrder = (
  parts: PaymentParts,
  settings: PaymentSettings,
  request: OrderRequest,
  by?: ActionContext,
): Promise<Order> => parts.db.begin((tx) => makeOrderIn(tx, parts, settings, request), by ? { by } : {})

function sameOrder(first: Order, { method, kind, currency, amount_minor }: OrderRequest): Order {
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
 * Begins the payment of an open order, or begins it again: the provider gives the same one.
 *
 * @throws GatewayError conflict for an order that is not open, an automatic one, one whose money is on its way, one of the method's other mode, or
 * of a plan that it cannot buy any more;
 * upstream_failed where the provider does not answer: the order stays open
 */
export async function startPayment(parts: PaymentParts, order_id: number): Promise<StartedPayment> {
  const order = await orderById(parts.db, order_id)
  if (order.state !== 'open' || parts.now() >= order.expires_at_ms) throw conflictOf(order)
  if (order.pending_since_ms !== null)
    throw conflict('The payment is on its way, so the order cannot be paid again. Wait for it.', {
      code: 'payment_pending',
    })
  if (order.kind === 'automatic') throw chargedBy(order, parts.now())
  await requireUnpaidMonth(parts, order)
  const provider = providerOf(parts, order.provider)
  if (!isInModeOf(order, provider)) throw otherMode(order)
  let started: StartedPayment
  try {
    started = await startedIn(provider.start(await asSeenByProviders(parts, order)))
  } catch (cause) {
    throw notAnswering(provider, cause)
  }
  await keepReference(parts.db, order, started.reference)
  return started
}

const conflictOf = ({ id, state }: Order): GatewayError =>
  new GatewayError('conflict', `Order ${id} is ${state === 'open' ? 'expired' : state}. Make a new one.`, {
    code: 'order_closed',
  })

const chargedBy = (order: Order, now_ms: number): GatewayError =>
  conflict(
    isLateCharge(order, now_ms)
      ? `The payment method has not said whether the card was charged for order ${order.id}. Ask the operator to cancel it.`
      : `The saved card is being charged for order ${order.id}. Wait a minute.`,
    { code: 'order_charged_automatically' },
  )

/** A payment for a month that does not begin with it would only be balance, which nobody asked for. */
async function requireUnpaidMonth({ db }: PaymentParts, { id, plan_period_id }: Order): Promise<void> {
  if (await isPayable(db, plan_period_id)) return
  throw conflict(
    `Order ${id} is for a plan that cannot begin with it now: the account is suspended, or its plan was paid, changed or cancelled meanwhile. Cancel the order, then buy a plan or add funds.`,
    { code: 'plan_changed' },
  )
}

const otherMode = ({ id, is_live }: Order): GatewayError =>
  conflict(
    `Order ${id} was made while its payment method was ${is_live === 1 ? 'not ' : ''}in test mode. Make a new one.`,
    { code: 'order_closed' },
  )

/**
 * Cancels an open order. One whose saved card may be charged already is cancelled by the staff alone, once no charge of it begins any more.
 *
 * @throws GatewayError not_found; conflict where it is not open, as after it was paid, and where its saved card may be charged already
 */
export async function cancelOrder(parts: PaymentParts, order_id: number, cause: Cause): Promise<void> {
  await parts.db.begin(
    async (tx) => {
      const order = await orderById(tx, order_id)
      const is_by_staff = cause.source === 'operator' || cause.source === 'command'
      if (isToCharge(order) && !(is_by_staff && isLateCharge(order, parts.now())))
        throw chargedBy(order, parts.now())
      const change = { ...changeOf(order, 'cancelled', cause), from: ['open'] }
      if (!(await changeState(tx, change, parts.now()))) throw conflictOf(await orderById(tx, order_id))
      await recordAction(tx, {
        action: 'order.cancelled',
        account_id: order.account_id,
        subject: String(order_id),
      })
    },
    cause.by ? { by: cause.by } : {},
  )
}
