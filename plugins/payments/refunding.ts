// Refunds of orders: the money leaves the balance first, then the provider is asked under one key; where it refuses, the balance gets it back.
import type { ActionContext } from '../../src/domain/actions.ts'
import { formatMinor } from '../../src/domain/currencies.ts'
import { conflict, invalidRequest, unprocessable } from '../../src/domain/errors.ts'
import { formatUsd } from '../../src/domain/money.ts'
import { HOUR_MS } from '../../src/domain/ranges.ts'
import type { PaymentRefund } from '../../src/payment-api.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Tx } from '../../src/store/db.ts'
import { changeState, type StateChange } from '../../src/store/state-changes.ts'
import { debitOf } from './amounts.ts'
import { type Cause, changeOf, wasMadeBefore } from './changes.ts'
import { refundKey } from './decide.ts'
import { asSeenByProviders, type PaymentParts, providerOf } from './parts.ts'
import { isRefundable } from './states.ts'
import { insertRefund, orderById, refundById, refundsOf, setRefund, sumRefunds } from './store.ts'
import type { Order, OrderRefund } from './tables.ts'

/** A refund that a kill has left behind is gone on with after it. */
const RESUMED_AFTER_MS = 60_000
const LOOK_AGAIN_MS = HOUR_MS

export interface RefundRequest {
  order_id: number
  /** Null: all that was not refunded before. */
  amount_minor: number | null
  /** What the free balance lacks becomes debt; otherwise it is refused. */
  into_debt: boolean
  reason: string
}

/**
 * Begins a refund: its row bounds what further ones may take. `debitRefund` and `askForRefund` go on with it, and so does the poller.
 *
 * @throws GatewayError not_found; conflict where the order has no payment to give back; invalid_request for more than is left of it;
 * unprocessable where its payment method gives nothing back
 */
export async function beginRefund(
  parts: PaymentParts,
  { order_id, amount_minor: requested_minor, into_debt, reason }: RefundRequest,
  by?: ActionContext,
): Promise<OrderRefund> {
  const { provider } = await orderById(parts.db, order_id)
  if (!providerOf(parts, provider).refund)
    throw unprocessable(
      'This payment method cannot give money back by itself. Send the money back by hand, and take it from the balance with `tollgate debit`.',
      { code: 'cannot_refund' },
    )
  const now_ms = parts.now()
  return await parts.db.begin(
    async (tx) => {
      const order = await lockedOrder(tx, order_id)
      if (!isRefundable(order.state))
        throw conflict(`Order ${order.id} is ${order.state}: it has no payment to give back.`, {
          code: 'not_refundable',
        })
      const taken_minor = takenBy(await refundsOf(tx, order_id))
      const left_minor = order.amount_minor - taken_minor
      const amount_minor = requested_minor ?? left_minor
      if (amount_minor <= 0 || amount_minor > left_minor)
        throw invalidRequest(
          `amount: ${formatMinor(left_minor, order.currency)} of the payment is left. Write at most that much.`,
          { param: 'amount' },
        )
      const refund = await insertRefund(tx, {
        order_id,
        account_id: order.account_id,
        amount_minor,
        debit_nanos: debitOf(order, taken_minor, amount_minor),
        into_debt: into_debt ? 1 : 0,
        reason,
        reference: null,
        created_at_ms: now_ms,
        next_look_at_ms: now_ms + RESUMED_AFTER_MS,
      })
      await recordAction(tx, {
        action: 'order.refunded',
        account_id: order.account_id,
        subject: String(order.id),
        after: { refunded: formatMinor(amount_minor, order.currency), ...(reason === '' ? {} : { reason }) },
      })
      return refund
    },
    by ? { by } : {},
  )
}

/** A refund that was made at the provider. @returns undefined where more was given back than is left of the payment, or it is known */
export async function adoptRefund(
  { db, now }: PaymentParts,
  { id: order_id }: Pick<Order, 'id'>,
  { reference, amount_minor }: PaymentRefund,
): Promise<OrderRefund | undefined> {
  const now_ms = now()
  return await db.begin(async (tx) => {
    const order = await lockedOrder(tx, order_id)
    const known = await refundsOf(tx, order_id)
    const same = known.find((refund) => refund.reference === reference)
    if (same) return same
    const taken_minor = takenBy(known)
    if (taken_minor + amount_minor > order.amount_minor) return undefined
    return await insertRefund(tx, {
      order_id,
      account_id: order.account_id,
      amount_minor,
      debit_nanos: debitOf(order, taken_minor, amount_minor),
      into_debt: 1,
      reason: 'Refunded at the payment method',
      reference,
      created_at_ms: now_ms,
      next_look_at_ms: now_ms + RESUMED_AFTER_MS,
    })
  })
}

/** What refunds have taken of a payment, or may still. */
const takenBy = (refunds: readonly OrderRefund[]): number =>
  refunds.reduce(
    (sum, { state, amount_minor }) =>
      state === 'failed' || state === 'cancelled' ? sum : sum + amount_minor,
    0,
  )

async function lockedOrder(tx: Tx, id: number): Promise<Order> {
  await tx.lock((await orderById(tx, id)).account_id)
  return await orderById(tx, id)
}

/**
 * Takes a refund's money out of the balance.
 *
 * @throws GatewayError unprocessable where the free balance has less: the refund is cancelled
 */
export async function debitRefund(parts: PaymentParts, refund: OrderRefund, cause: Cause): Promise<void> {
  const { ledger, db, now } = parts
  const changes = [refundChange(refund, 'begun', 'debited', cause)]
  if (refund.debit_nanos === 0) {
    await changeAll(parts, changes)
    return
  }
  const outcome = await ledger.submit({
    op: refund.into_debt === 1 ? 'open_debt' : 'withdraw',
    account_id: refund.account_id,
    amount_nanos: refund.debit_nanos,
    note: `Refund of order ${refund.order_id}`,
    request_key: refundKey(refund),
    by: cause.by,
    now_ms: now(),
    changes,
  })
  if (wasMadeBefore(outcome)) await changeAll(parts, changes)
  else if (!outcome.ok && outcome.refusal !== 'wrong_state') {
    const why = outcome.refusal
    await db.begin(async (tx) => {
      await changeState(tx, { ...refundChange(refund, 'begun', 'cancelled', cause), detail: { why } }, now())
      await setRefund(tx, refund.id, { reference: refund.reference, next_look_at_ms: null })
    })
    throw unprocessable(
      `The free balance is less than ${formatUsd(refund.debit_nanos)} USD. Nothing was refunded. Refund less, or let the rest become debt (--into-debt).`,
      { code: why },
    )
  }
}

/**
 * Asks the provider for a refund whose money has left the balance. Asked again, it gives nothing back twice: the key is that of the row.
 *
 * @throws what the provider throws: nothing is known then, and the poller asks again
 */
export async function askForRefund(parts: PaymentParts, id: number, cause: Cause): Promise<OrderRefund> {
  const { db, now } = parts
  const refund = await refundById(db, id)
  const order = await orderById(db, refund.order_id)
  const provider = providerOf(parts, order.provider)
  if (refund.state !== 'debited' || !provider.refund) return refund
  const seen = await asSeenByProviders(parts, order)
  const answer = await provider.refund(seen, refund.amount_minor, refundKey(refund))
  if (answer.state === 'done') await finishRefund(parts, refund, answer, cause)
  else if (answer.state === 'failed') await failRefund(parts, refund, answer.message ?? '', cause)
  else await setRefund(db, id, { reference: answer.reference, next_look_at_ms: now() + LOOK_AGAIN_MS })
  return await refundById(db, id)
}

/** The provider has given it back. */
export async function finishRefund(
  { db, now }: PaymentParts,
  refund: OrderRefund,
  { reference }: PaymentRefund,
  cause: Cause,
): Promise<void> {
  await db.begin(async (tx) => {
    const order = await lockedOrder(tx, refund.order_id)
    if (!(await changeState(tx, refundChange(refund, 'debited', 'done', cause), now()))) return
    await setRefund(tx, refund.id, { reference, next_look_at_ms: null })
    const refunded_minor = await sumRefunds(tx, order.id)
    const to = refunded_minor >= order.amount_minor ? 'refunded' : 'partly_refunded'
    const refunded = formatMinor(refund.amount_minor, order.currency)
    await changeState(tx, changeOf(order, to, cause, { refunded }), now())
  })
}

/** The provider has refused it: the balance gets back what was taken, with the mark in one transaction. */
export async function failRefund(
  parts: PaymentParts,
  refund: OrderRefund,
  message: string,
  cause: Cause,
): Promise<void> {
  const { ledger, db, now } = parts
  const order = await orderById(db, refund.order_id)
  const detail = message === '' ? {} : { message }
  const of_refund = { ...refundChange(refund, 'debited', 'failed', cause), detail }
  const of_order = changeOf(order, 'refund_failed', cause, detail)
  const changes = of_order.from.includes(order.state) ? [of_refund, of_order] : [of_refund]
  if (refund.debit_nanos === 0) await changeAll(parts, changes)
  else {
    const outcome = await ledger.submit({
      op: 'top_up',
      account_id: refund.account_id,
      amount_nanos: refund.debit_nanos,
      note: `Failed refund of order ${refund.order_id}`,
      request_key: `refund-back:${refund.id}`,
      by: cause.by,
      now_ms: now(),
      changes,
    })
    if (wasMadeBefore(outcome)) await changeAll(parts, changes)
  }
  await setRefund(db, refund.id, { reference: refund.reference, next_look_at_ms: null })
}

const refundChange = (
  { id }: Pick<OrderRefund, 'id'>,
  from: OrderRefund['state'],
  to: OrderRefund['state'],
  { source }: Cause,
): StateChange => ({ table: 'order_refunds', id, from: [from], to, source })

const changeAll = ({ db, now }: PaymentParts, changes: readonly StateChange[]): Promise<void> =>
  db.begin(async (tx) => {
    for (const change of changes) await changeState(tx, change, now())
  })
