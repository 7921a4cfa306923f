// Refunds of orders: the gateway debits the balance, then requests the refund from the provider. If the provider refuses, the balance gets it back.
import type { ActionContext } from '../../src/domain/actions.ts'
import { formatMinor } from '../../src/domain/currencies.ts'
import { conflict, type GatewayError, invalidRequest, unprocessable } from '../../src/domain/errors.ts'
import { formatUsd, type Nanos } from '../../src/domain/money.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Tx } from '../../src/store/db.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { debitOf, refundedMinorOf } from './amounts.ts'
import { awaitRefund } from './answers.ts'
import { type Cause, isReplay, unchangedGuard } from './changes.ts'
import { providerRefundKey, refundDebitKey } from './own-refunds.ts'
import { matchesMode, type PaymentParts, paymentOrderOf, providerOf } from './parts.ts'
import { endPlanByRefund, returnPlanPrice } from './plans/refunds.ts'
import { failRefund, finishRefund, refundChange } from './refund-ends.ts'
import { insertRefund, refundById, refundsOf, setRefund } from './refund-store.ts'
import { REFUND_REFRESH_MS, REFUND_RESUME_MS } from './schedule.ts'
import { isRefundable } from './states.ts'
import { lockedOrder, orderById } from './store.ts'
import type { Order, OrderRefund } from './tables.ts'

export interface RefundRequest {
  order_id: number
  /** Null: the whole rest of the payment. */
  amount_minor: number | null
  /** True: an amount above the free balance becomes debt. False: such a refund is refused. */
  into_debt: boolean
  reason: string
  /** The rest of the payment that the requester saw: a second click conflicts instead of refunding twice. */
  left_minor?: number | undefined
  /** For the payment of a plan: the plan ends, and its price pays the refund. */
  end_plan?: boolean
}

/**
 * Begins a refund: its row reserves the amount. `debitRefund` and `requestRefund`, or the poller, continue it.
 *
 * @throws GatewayError not_found; conflict if the order has no payment to refund; invalid_request for more than the rest of the payment;
 * unprocessable if its payment method has no refunds
 */
export async function beginRefund(
  parts: PaymentParts,
  request: RefundRequest,
  by?: ActionContext,
): Promise<OrderRefund> {
  requireRefundSupport(parts, await orderById(parts.db, request.order_id))
  const now_ms = parts.now()
  return await parts.db.begin(
    async (tx) => {
      const order = await lockedOrder(tx, request.order_id)
      const refund = await insertRequestedRefund(tx, order, request, now_ms)
      if (request.end_plan) await endPlanByRefund(tx, parts, order, refund)
      await recordAction(tx, {
        action: 'order.refunded',
        account_id: order.account_id,
        subject: String(order.id),
        after: {
          refunded: formatMinor(refund.amount_minor, order.currency),
          ...(request.reason === '' ? {} : { reason: request.reason }),
        },
      })
      return refund
    },
    by ? { by } : {},
  )
}

/** @throws GatewayError unprocessable if the order's payment method has no refunds, or has changed between test and live mode */
export function requireRefundSupport(parts: Pick<PaymentParts, 'providers'>, order: Order): void {
  const provider = providerOf(parts, order.provider)
  if (!matchesMode(order, provider))
    throw unprocessable(
      `This payment was made while the payment method was ${order.is_live === 1 ? 'not ' : ''}in test mode, so it cannot be refunded now. Take the credit from the balance with \`tollgate debit\`.`,
      { code: 'cannot_refund' },
    )
  if (!provider.refund)
    throw unprocessable(
      'This payment method cannot give money back by itself. Send the money back by hand, and take it from the balance with `tollgate debit`.',
      { code: 'cannot_refund' },
    )
}

/** @throws GatewayError conflict if the order has no payment to refund, or `left_minor` is outdated; invalid_request for more than the rest */
async function insertRequestedRefund(
  tx: Tx,
  order: Order,
  { amount_minor: requested_minor, into_debt, reason, left_minor: read_minor }: RefundRequest,
  now_ms: number,
): Promise<OrderRefund> {
  requireRefundable(order)
  const before = await refundsOf(tx, order.id)
  if (read_minor !== undefined && read_minor !== order.amount_minor - refundedMinorOf(before))
    throw conflict('Another refund of this order was made meanwhile. Look at the order again.', {
      code: 'changed_meanwhile',
    })
  const amount_minor = requireAmount(order, before, requested_minor)
  return await insertRefund(tx, {
    order_id: order.id,
    account_id: order.account_id,
    amount_minor,
    debit_nanos: debitOf(order, before, amount_minor),
    into_debt: into_debt ? 1 : 0,
    reason,
    reference: null,
    created_at_ms: now_ms,
    next_look_at_ms: now_ms + REFUND_RESUME_MS,
  })
}

/** @throws GatewayError conflict if the order has no payment to refund */
export function requireRefundable({ id, state }: Order): void {
  if (isRefundable(state)) return
  throw conflict(`Order ${id} is ${state}: it has no payment to refund.`, { code: 'not_refundable' })
}

/** Returns the amount to refund, by default the rest of the payment. @throws GatewayError invalid_request for more than the rest */
export function requireAmount(
  order: Order,
  before: readonly OrderRefund[],
  requested_minor: number | null,
): number {
  const left_minor = order.amount_minor - refundedMinorOf(before)
  const amount_minor = requested_minor ?? left_minor
  if (Number.isSafeInteger(amount_minor) && amount_minor > 0 && amount_minor <= left_minor)
    return amount_minor
  throw invalidRequest(
    `amount: ${formatMinor(left_minor, order.currency)} of the payment is left. Write at most that much.`,
    { param: 'amount' },
  )
}

/**
 * Debits the balance for a refund.
 *
 * @throws GatewayError unprocessable if the free balance is too low: the refund is cancelled
 */
export async function debitRefund(parts: PaymentParts, refund: OrderRefund, cause: Cause): Promise<void> {
  const refusal = await tryDebitRefund(parts, refund, cause)
  if (refusal === 'insufficient_balance') throw balanceTooLow(refund.debit_nanos)
  if (refusal !== undefined)
    throw unprocessable(`Nothing was refunded: ${refusal}. Look at the order.`, { code: refusal })
}

export const balanceTooLow = (debit_nanos: Nanos): GatewayError =>
  unprocessable(
    `The free balance is less than ${formatUsd(debit_nanos)} USD. Nothing was refunded. Refund less, or let the rest become debt.`,
    { code: 'insufficient_balance' },
  )

/** Attempts while the order keeps changing state. */
const MAX_TRIES = 5

/** Debits the balance, or cancels the refund. @returns the reason of the cancellation, or undefined @throws GatewayError as `Ledger.submit` */
export async function tryDebitRefund(
  parts: PaymentParts,
  refund: OrderRefund,
  cause: Cause,
): Promise<string | undefined> {
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const order = await orderById(parts.db, refund.order_id)
    // Also if the refund is cancelled below, as for an order that is now disputed: the plan has ended.
    await returnPlanPrice(parts, order, refund, cause)
    if (!isRefundable(order.state)) return await cancelRefund(parts, refund, `order_${order.state}`, cause)
    const refusal = await debitBalance(parts, order, refund, cause)
    if (refusal === undefined) return undefined
    if (refusal !== 'wrong_state') return await cancelRefund(parts, refund, refusal, cause)
    const { state } = await refundById(parts.db, refund.id)
    if (state !== 'begun') return state === 'cancelled' ? 'cancelled' : undefined
  }
  throw new Error(`order ${refund.order_id} has changed ${MAX_TRIES} times while a refund of it began`)
}

/** Debits the balance in one transaction with the refund's state, and only if the order still has the given state. @returns the ledger's refusal */
async function debitBalance(
  parts: PaymentParts,
  order: Order,
  refund: OrderRefund,
  cause: Cause,
): Promise<string | undefined> {
  const { ledger, db, now } = parts
  const change = refundChange(refund, 'begun', 'debited', cause)
  const detail = { refund: formatMinor(refund.amount_minor, order.currency) }
  if (refund.debit_nanos === 0) {
    await db.begin((tx) => changeState(tx, change, now()))
    return undefined
  }
  const outcome = await ledger.submit({
    op: refund.into_debt === 1 ? 'open_debt' : 'withdraw',
    account_id: refund.account_id,
    amount_nanos: refund.debit_nanos,
    note: `Refund of order ${refund.order_id}`,
    request_key: refundDebitKey(refund),
    by: cause.by,
    now_ms: now(),
    changes: [change, unchangedGuard(order, cause, detail)],
  })
  if (isReplay(outcome)) await db.begin((tx) => changeState(tx, change, now()))
  return outcome.ok ? undefined : outcome.refusal
}

async function cancelRefund(
  { db, now }: PaymentParts,
  refund: OrderRefund,
  why: string,
  cause: Cause,
): Promise<string> {
  await db.begin(async (tx) => {
    if (await changeState(tx, refundChange(refund, 'begun', 'cancelled', cause, { why }), now()))
      await setRefund(tx, refund.id, { reference: refund.reference, next_look_at_ms: null })
  })
  return why
}

/**
 * Requests a debited refund from the provider. The idempotency key prevents a second refund when the request is repeated. A refund that has
 * the provider's ID is not requested again: refreshes of the order report its state.
 *
 * @throws the provider's error: the result is unknown, and the poller repeats the request
 */
export async function requestRefund(parts: PaymentParts, id: number, cause: Cause): Promise<OrderRefund> {
  const { db, now } = parts
  const refund = await refundById(db, id)
  if (refund.state !== 'debited') return refund
  const order = await orderById(db, refund.order_id)
  const provider = providerOf(parts, order.provider)
  if (refund.reference !== null || !provider.refund) {
    await setRefund(db, id, { reference: refund.reference, next_look_at_ms: now() + REFUND_REFRESH_MS })
    return refund
  }
  const seen = await paymentOrderOf(parts, order)
  const { amount_minor } = refund
  const key = providerRefundKey(refund)
  const answer = await awaitRefund(provider.refund(seen, amount_minor, key), amount_minor, key)
  if (answer.state === 'done') await finishRefund(parts, refund, answer, cause)
  else if (answer.state === 'failed') await failRefund(parts, refund, answer.message ?? '', cause)
  else
    await setRefund(db, id, {
      reference: answer.reference === '' ? null : answer.reference,
      next_look_at_ms: now() + REFUND_REFRESH_MS,
    })
  return await refundById(db, id)
}

/**
 * Refunds a payment, or a part of it. If the provider does not answer, the poller repeats the request.
 *
 * @returns the updated refund: `failed` if the provider refused it, and its debit is back on the balance
 * @throws GatewayError as `beginRefund` and `debitRefund`
 */
export async function refundOrder(
  parts: PaymentParts,
  request: RefundRequest,
  cause: Cause,
): Promise<OrderRefund> {
  const refund = await beginRefund(parts, request, cause.by)
  await debitRefund(parts, refund, cause)
  try {
    return await requestRefund(parts, refund.id, cause)
  } catch (thrown) {
    parts.log.warn({ refund: refund.id, order: refund.order_id, cause: thrown }, 'a refund was not answered')
    return await refundById(parts.db, refund.id)
  }
}
