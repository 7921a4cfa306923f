// The operator's word that a bank transfer came: kept first, then looked at as any payment, so that a kill between the two loses nothing.
import type { ActionContext } from '../../../src/domain/actions.ts'
import { formatMinor } from '../../../src/domain/currencies.ts'
import { conflict, invalidRequest, unprocessable } from '../../../src/domain/errors.ts'
import { recordAction } from '../../../src/store/actions.ts'
import type { Tx } from '../../../src/store/db.ts'
import { lookAt } from '../looking.ts'
import { type PaymentParts, providerOf } from '../parts.ts'
import { wasPaid } from '../states.ts'
import { keepMark, keepReference, orderById, orderByPayment } from '../store.ts'
import type { Order } from '../tables.ts'
import { noteTrouble } from '../trouble-notes.ts'
import { misfitOf } from '../troubles.ts'
import { MANUAL } from './provider.ts'
import { transferReference } from './reference.ts'

/** A transfer as it stands on the bank statement. */
export interface PaidMark {
  amount_minor: number
  currency: string
  /** The bank's own number of the transfer: it pays one order. */
  reference: string
  /** Credit by a command goes without the credits to others, which the gateway makes later. */
  source?: 'operator' | 'command'
  by?: ActionContext | undefined
}

const REFERENCE = /^[\p{L}\p{N}\p{P}\p{S} ]{1,140}$/u

/**
 * Marks an order as paid by a bank transfer, and credits it. Repeated with the same transfer it goes on with what a kill has left.
 *
 * @returns the order as it is then
 * @throws GatewayError not_found; unprocessable for another payment method, and for another amount, which is kept as the order's trouble;
 * conflict for an order that was paid, and for a transfer that has paid another one; invalid_request for a reference that is none
 */
export async function markPaid(parts: PaymentParts, order_id: number, mark: PaidMark): Promise<Order> {
  const { by, currency, amount_minor, source = 'operator' } = mark
  const reference = mark.reference.trim().replace(/\s+/g, ' ')
  if (!REFERENCE.test(reference))
    throw invalidRequest('reference: write the bank’s number of the transfer, with at most 140 characters.', {
      param: 'reference',
    })
  const cause = { source, by }
  const seen = await orderById(parts.db, order_id)
  refuseOther(seen)
  providerOf(parts, MANUAL)
  refusePaid(seen)
  const misfit = misfitOf(seen, { state: 'paid', currency, amount_minor })
  if (misfit !== undefined) {
    await noteTrouble(parts, seen, misfit, cause)
    throw unprocessable(misfit, { param: 'amount', code: 'amount_mismatch' })
  }
  await parts.db.begin((tx) => keep(tx, seen, reference, parts.now()), by ? { by } : {})
  const order = await lookAt(parts, order_id, cause)
  if (!wasPaid(order.state) && order.trouble !== null) throw unprocessable(order.trouble)
  return order
}

async function keep(tx: Tx, { id, account_id }: Order, reference: string, now_ms: number): Promise<void> {
  // Of all marks, so that a transfer that is entered for two orders at once is seen.
  await tx.lock(null)
  await tx.lock(account_id)
  const order = await orderById(tx, id)
  refusePaid(order)
  if (order.payment_reference === reference) return
  if (order.payment_reference !== null)
    throw conflict(
      `Order ${id} is marked as paid by the transfer ${order.payment_reference} already. Look at it again.`,
      { code: 'marked_before' },
    )
  const other = await orderByPayment(tx, MANUAL, reference)
  if (other)
    throw conflict(
      `The transfer ${reference} has paid order ${other.id}. If one transfer paid both, add a number to it, such as ${reference}/2.`,
      { code: 'reference_used' },
    )
  if (order.reference === null) await keepReference(tx, order, transferReference(order))
  await keepMark(tx, id, { payment_reference: reference, next_look_at_ms: now_ms })
  await recordAction(tx, {
    action: 'order.marked_paid',
    account_id,
    subject: String(id),
    after: { amount: formatMinor(order.amount_minor, order.currency), bank_reference: reference },
  })
}

function refuseOther({ id, provider }: Order): void {
  if (provider !== MANUAL)
    throw unprocessable(
      `Order ${id} is paid by "${provider}", which says itself whether it was paid. Check the order instead.`,
      { code: 'not_manual' },
    )
}

function refusePaid({ id, state, payment_reference }: Order): void {
  if (wasPaid(state))
    throw conflict(
      `Order ${id} was paid before, by the transfer ${payment_reference ?? ''}. If this is a second one, send it back, or credit the account.`,
      { code: 'paid_before' },
    )
}
