// The operator's mark that a bank transfer arrived: saved first, then credited by a refresh of the order, so that a kill between them loses nothing.
import type { ActionContext } from '../../../src/domain/actions.ts'
import { formatMinor } from '../../../src/domain/currencies.ts'
import { conflict, invalidRequest, unprocessable } from '../../../src/domain/errors.ts'
import { recordAction } from '../../../src/store/actions.ts'
import type { Tx } from '../../../src/store/db.ts'
import { type PaymentParts, providerOf } from '../parts.ts'
import { refreshOrder } from '../refreshing.ts'
import { wasPaid } from '../states.ts'
import { orderById, orderByPayment, saveMark, saveReference } from '../store.ts'
import type { Order } from '../tables.ts'
import { noteTrouble } from '../trouble-notes.ts'
import { mismatchOf } from '../troubles.ts'
import { MANUAL } from './provider.ts'
import { transferReference } from './reference.ts'

/** A transfer as the bank statement shows it. */
export interface PaidMark {
  amount_minor: number
  currency: string
  /** The bank's reference of the transfer. A reference pays one order. */
  reference: string
  /** A credit by a command has no shares for other accounts: the gateway credits them later. */
  source?: 'operator' | 'command'
  by?: ActionContext | undefined
}

const REFERENCE = /^[\p{L}\p{N}\p{P}\p{S} ]{1,140}$/u

/**
 * Marks an order as paid by a bank transfer, and credits it. Repeated with the same transfer, it completes what a kill interrupted.
 *
 * @returns the updated order
 * @throws GatewayError not_found; unprocessable for another payment method, and for another amount, which is saved as the order's trouble;
 * conflict for a paid order, and for a transfer that has paid another one; invalid_request for an invalid reference
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
  requireManual(seen)
  providerOf(parts, MANUAL)
  requireUnpaid(seen)
  const misfit = mismatchOf(seen, { state: 'paid', currency, amount_minor })
  if (misfit !== undefined) {
    await noteTrouble(parts, seen, misfit, cause)
    throw unprocessable(misfit, { param: 'amount', code: 'amount_mismatch' })
  }
  await parts.db.begin((tx) => addMark(tx, seen, reference, parts.now()), by ? { by } : {})
  const order = await refreshOrder(parts, order_id, cause)
  if (!wasPaid(order.state) && order.trouble !== null) throw unprocessable(order.trouble)
  return order
}

async function addMark(tx: Tx, { id, account_id }: Order, reference: string, now_ms: number): Promise<void> {
  // One lock for all marks, so that a transfer that is entered for two orders at once is found.
  await tx.lock(null)
  await tx.lock(account_id)
  const order = await orderById(tx, id)
  requireUnpaid(order)
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
  if (order.reference === null) await saveReference(tx, order, transferReference(order))
  await saveMark(tx, id, { payment_reference: reference, next_look_at_ms: now_ms })
  await recordAction(tx, {
    action: 'order.marked_paid',
    account_id,
    subject: String(id),
    after: { amount: formatMinor(order.amount_minor, order.currency), bank_reference: reference },
  })
}

function requireManual({ id, provider }: Order): void {
  if (provider !== MANUAL)
    throw unprocessable(
      `Order ${id} is paid by "${provider}", which says itself whether it was paid. Check the order instead.`,
      { code: 'not_manual' },
    )
}

function requireUnpaid({ id, state, payment_reference }: Order): void {
  if (wasPaid(state))
    throw conflict(
      `Order ${id} was paid before, by the transfer ${payment_reference ?? ''}. If this is a second one, send it back, or credit the account.`,
      { code: 'paid_before' },
    )
}
