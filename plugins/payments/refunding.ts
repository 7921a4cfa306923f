// Refunds of orders: the money leaves the balance first, then the provider is asked under one key; where it refuses, the balance gets it back.
import type { ActionContext } from '../../src/domain/actions.ts'
import { formatMinor } from '../../src/domain/currencies.ts'
import { conflict, type GatewayError, invalidRequest, unprocessable } from '../../src/domain/errors.ts'
import { formatUsd, type Nanos } from '../../src/domain/money.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Tx } from '../../src/store/db.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { debitOf, takenBy } from './amounts.ts'
import { refundIn } from './answers.ts'
import { type Cause, guardOf, wasMadeBefore } from './changes.ts'
import { askingKey, refundKey } from './own-refunds.ts'
import { asSeenByProviders, isInModeOf, type PaymentParts, providerOf } from './parts.ts'
import { endPlanWith, returnPlanPrice } from './plans/refunds.ts'
import { failRefund, finishRefund, refundChange } from './refund-ends.ts'
import { insertRefund, refundById, refundsOf, setRefund } from './refund-store.ts'
import { REFUND_LOOK_AGAIN_MS, REFUND_RESUMED_AFTER_MS } from './schedule.ts'
import { isRefundable } from './states.ts'
import { lockedOrder, orderById } from './store.ts'
import type { Order, OrderRefund } from './tables.ts'

export interface RefundRequest {
  order_id: number
  /** Null: all that was not refunded before. */
  amount_minor: number | null
  /** The free balance pays, and the rest becomes debt; otherwise a refund that it does not cover is refused. */
  into_debt: boolean
  reason: string
  /** The rest of the payment when the refund was requested: a second click gives nothing back again. */
  left_minor?: number | undefined
  /** Of a plan's payment: the plan ends, and what is refunded comes out of its price. */
  end_plan?: boolean
}

/**
 * Begins a refund: its row bounds what further ones may take. `debitRefund` and `askForRefund` go on with it, and so does the poller.
 *
 * @throws GatewayError not_found; conflict where the order has no payment to refund; invalid_request for more than is left of it;
 * unprocessable where its payment method gives nothing back
 */
export async function beginRefund(
  parts: PaymentParts,
  request: RefundRequest,
  by?: ActionContext,
): Promise<OrderRefund> {
  requireRefunding(parts, await orderById(parts.db, request.order_id))
  const now_ms = parts.now()
  return await parts.db.begin(
    async (tx) => {
      const order = await lockedOrder(tx, request.order_id)
      const refund = await insertRequested(tx, order, request, now_ms)
      if (request.end_plan) await endPlanWith(tx, parts, order, refund)
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

/** @throws GatewayError unprocessable where the payment method of an order gives nothing back, or is in its other mode */
export function requireRefunding(parts: Pick<PaymentParts, 'providers'>, order: Order): void {
  const provider = providerOf(parts, order.provider)
  if (!isInModeOf(order, provider))
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

/** @throws GatewayError conflict where the order has no payment to refund, or less than was read; invalid_request for more than is left of it */
async function insertRequested(
  tx: Tx,
  order: Order,
  { amount_minor: requested_minor, into_debt, reason, left_minor: read_minor }: RefundRequest,
  now_ms: number,
): Promise<OrderRefund> {
  requireRefundable(order)
  const before = await refundsOf(tx, order.id)
  if (read_minor !== undefined && read_minor !== order.amount_minor - takenBy(before))
    throw conflict('Another refund of this order was made meanwhile. Look at the order again.', {
      code: 'changed_meanwhile',
    })
  const amount_minor = refundableOf(order, before, requested_minor)
  return await insertRefund(tx, {
    order_id: order.id,
    account_id: order.account_id,
    amount_minor,
    debit_nanos: debitOf(order, before, amount_minor),
    into_debt: into_debt ? 1 : 0,
    reason,
    reference: null,
    created_at_ms: now_ms,
    next_look_at_ms: now_ms + REFUND_RESUMED_AFTER_MS,
  })
}

/** @throws GatewayError conflict where the order has no payment to refund */
export function requireRefundable({ id, state }: Order): void {
  if (isRefundable(state)) return
  throw conflict(`Order ${id} is ${state}: it has no payment to refund.`, { code: 'not_refundable' })
}

/** @throws GatewayError invalid_request for more than is left of the payment */
export function refundableOf(
  order: Order,
  before: readonly OrderRefund[],
  requested_minor: number | null,
): number {
  const left_minor = order.amount_minor - takenBy(before)
  const amount_minor = requested_minor ?? left_minor
  if (Number.isSafeInteger(amount_minor) && amount_minor > 0 && amount_minor <= left_minor)
    return amount_minor
  throw invalidRequest(
    `amount: ${formatMinor(left_minor, order.currency)} of the payment is left. Write at most that much.`,
    { param: 'amount' },
  )
}

/**
 * Takes a refund's money out of the balance.
 *
 * @throws GatewayError unprocessable where the free balance has less: the refund is cancelled
 */
export async function debitRefund(parts: PaymentParts, refund: OrderRefund, cause: Cause): Promise<void> {
  const refusal = await takeRefundMoney(parts, refund, cause)
  if (refusal === 'insufficient_balance') throw balanceLacks(refund.debit_nanos)
  if (refusal !== undefined)
    throw unprocessable(`Nothing was refunded: ${refusal}. Look at the order.`, { code: refusal })
}

export const balanceLacks = (debit_nanos: Nanos): GatewayError =>
  unprocessable(
    `The free balance is less than ${formatUsd(debit_nanos)} USD. Nothing was refunded. Refund less, or let the rest become debt.`,
    { code: 'insufficient_balance' },
  )

/** An order may change this often while its refund begins. */
const MAX_TRIES = 5

/** @returns why the refund is cancelled; undefined where its money has left the balance @throws GatewayError as `Ledger.submit` */
export async function takeRefundMoney(
  parts: PaymentParts,
  refund: OrderRefund,
  cause: Cause,
): Promise<string | undefined> {
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const order = await orderById(parts.db, refund.order_id)
    // Also where nothing is refunded after all, as of an order that is disputed by now: the plan has ended.
    await returnPlanPrice(parts, order, refund, cause)
    if (!isRefundable(order.state)) return await cancelRefund(parts, refund, `order_${order.state}`, cause)
    const refusal = await takeFrom(parts, order, refund, cause)
    if (refusal === undefined) return undefined
    if (refusal !== 'wrong_state') return await cancelRefund(parts, refund, refusal, cause)
    const { state } = await refundById(parts.db, refund.id)
    if (state !== 'begun') return state === 'cancelled' ? 'cancelled' : undefined
  }
  throw new Error(`order ${refund.order_id} has changed ${MAX_TRIES} times while a refund of it began`)
}

/** The refund, and the order's state that it is made in: of a disputed order nothing is refunded. */
async function takeFrom(
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
    request_key: refundKey(refund),
    by: cause.by,
    now_ms: now(),
    changes: [change, guardOf(order, cause, detail)],
  })
  if (wasMadeBefore(outcome)) await db.begin((tx) => changeState(tx, change, now()))
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
 * Asks the provider for a refund whose money has left the balance. Asked again, it gives nothing back twice: the key is that of the row. One that
 * the provider has a number for is not asked for again: looks at the order tell what has become of it.
 *
 * @throws what the provider throws: nothing is known then, and the poller asks again
 */
export async function askForRefund(parts: PaymentParts, id: number, cause: Cause): Promise<OrderRefund> {
  const { db, now } = parts
  const refund = await refundById(db, id)
  if (refund.state !== 'debited') return refund
  const order = await orderById(db, refund.order_id)
  const provider = providerOf(parts, order.provider)
  if (refund.reference !== null || !provider.refund) {
    await setRefund(db, id, { reference: refund.reference, next_look_at_ms: now() + REFUND_LOOK_AGAIN_MS })
    return refund
  }
  const seen = await asSeenByProviders(parts, order)
  const { amount_minor } = refund
  const key = askingKey(refund)
  const answer = await refundIn(provider.refund(seen, amount_minor, key), amount_minor, key)
  if (answer.state === 'done') await finishRefund(parts, refund, answer, cause)
  else if (answer.state === 'failed') await failRefund(parts, refund, answer.message ?? '', cause)
  else
    await setRefund(db, id, {
      reference: answer.reference === '' ? null : answer.reference,
      next_look_at_ms: now() + REFUND_LOOK_AGAIN_MS,
    })
  return await refundById(db, id)
}

/**
 * Gives back a payment, or a part of it. Where the provider does not answer, the poller asks it again.
 *
 * @returns the refund as it is then: `failed` where the provider refused it, and the money is back on the balance
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
    return await askForRefund(parts, refund.id, cause)
  } catch (thrown) {
    parts.log.warn({ refund: refund.id, order: refund.order_id, cause: thrown }, 'a refund was not answered')
    return await refundById(parts.db, refund.id)
  }
}
