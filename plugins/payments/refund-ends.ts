// The end of a refund: done, or failed. One transaction marks a failed refund and returns its debit to the balance.
import { formatMinor } from '../../src/domain/currencies.ts'
import type { PaymentRefund } from '../../src/payment-api.ts'
import { changeState, type StateChange } from '../../src/store/state-changes.ts'
import { type Cause, changeOf, isReplay, unchangedGuard } from './changes.ts'
import type { PaymentParts } from './parts.ts'
import { refundById, setRefund, sumRefunds } from './refund-store.ts'
import { lockedOrder, orderById } from './store.ts'
import type { OrderRefund } from './tables.ts'
import { noteTrouble } from './trouble-notes.ts'

export const refundChange = (
  { id }: Pick<OrderRefund, 'id'>,
  from: OrderRefund['state'],
  to: OrderRefund['state'],
  { source }: Cause,
  detail: StateChange['detail'] = {},
): StateChange => ({ table: 'order_refunds', id, from: [from], to, source, detail })

/** Builds a change from the refund's state to the same state. A ledger operation that carries it fails if the refund has changed meanwhile. */
export const refundGuard = (refund: OrderRefund, cause: Cause): StateChange =>
  refundChange(refund, refund.state, refund.state, cause)

export async function finishRefund(
  { db, now }: PaymentParts,
  refund: OrderRefund,
  { reference }: PaymentRefund,
  cause: Cause,
): Promise<void> {
  await db.begin(async (tx) => {
    const order = await lockedOrder(tx, refund.order_id)
    if (!(await changeState(tx, refundChange(refund, 'debited', 'done', cause), now()))) return
    await setRefund(tx, refund.id, { reference: reference || refund.reference, next_look_at_ms: null })
    const refunded_minor = await sumRefunds(tx, order.id)
    const to = refunded_minor >= order.amount_minor ? 'refunded' : 'partly_refunded'
    const refunded = formatMinor(refund.amount_minor, order.currency)
    // A disputed order keeps its state.
    await changeState(tx, changeOf(order, to, cause, { refunded }), now())
  })
}

/**
 * Marks a refund as failed that the provider refused, also after it had reported it as done, and returns its debit to the balance. After a lost
 * dispute the balance gets nothing, since the bank has taken this part, too.
 *
 * @throws GatewayError as `Ledger.submit`
 */
export async function failRefund(
  parts: PaymentParts,
  refund: OrderRefund,
  message: string,
  cause: Cause,
): Promise<void> {
  const { ledger, db, now } = parts
  const order = await orderById(db, refund.order_id)
  const detail = message === '' ? {} : { message }
  const of_refund = refundChange(refund, refund.state, 'failed', cause, detail)
  const failed = changeOf(order, 'refund_failed', cause, detail)
  const of_order = failed.from.includes(order.state)
    ? { ...failed, from: [order.state] }
    : unchangedGuard(order, cause, {
        refund_failed: formatMinor(refund.amount_minor, order.currency),
        ...detail,
      })
  if (order.state === 'lost' || refund.debit_nanos === 0)
    await db.begin(async (tx) => {
      if (await changeState(tx, of_refund, now())) await changeState(tx, of_order, now())
    })
  else {
    const outcome = await ledger.submit({
      op: 'top_up',
      account_id: refund.account_id,
      amount_nanos: refund.debit_nanos,
      note: `Failed refund of order ${refund.order_id}`,
      request_key: `refund-back:${refund.id}`,
      by: cause.by,
      now_ms: now(),
      changes: [of_refund, of_order],
    })
    if (isReplay(outcome)) await db.begin((tx) => changeState(tx, of_refund, now()))
    else if (!outcome.ok && outcome.refusal !== 'wrong_state')
      await noteTrouble(
        parts,
        order,
        `The ledger refused to return refund ${refund.id} to the balance: ${outcome.refusal}. Add the funds by hand.`,
        cause,
      )
  }
  await finalizeRefund(parts, refund.id)
}

/** Ends the schedule of an ended refund and updates the order's sum, which a kill after the end may have left undone. */
export async function finalizeRefund({ db }: Pick<PaymentParts, 'db'>, id: number): Promise<void> {
  await db.begin(async (tx) => {
    const { order_id } = await refundById(tx, id)
    await lockedOrder(tx, order_id)
    const { state, reference } = await refundById(tx, id)
    if (state === 'begun' || state === 'debited') return
    await setRefund(tx, id, { reference, next_look_at_ms: null })
    await sumRefunds(tx, order_id)
  })
}
