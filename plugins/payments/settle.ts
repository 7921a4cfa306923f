// The carrying out of what a provider says of a payment: credits, refunds and disputes, each once, with the order's state in the ledger's transaction.
import type { Payment, PaymentRefund } from '../../src/payment-api.ts'
import { changeState, type StateChange } from '../../src/store/state-changes.ts'
import { type Cause, changeOf } from './changes.ts'
import { credit } from './crediting.ts'
import { type Decision, decide } from './decide.ts'
import { takeLostDispute } from './disputes.ts'
import { adoptRefund } from './found-refunds.ts'
import type { PaymentParts } from './parts.ts'
import { failRefund, finishRefund } from './refund-ends.ts'
import { refundsOf, setRefund, sumRefunds } from './refund-store.ts'
import { takeRefundMoney } from './refunding.ts'
import { keepFacts, lockedOrder, orderById } from './store.ts'
import type { Order, OrderRefund } from './tables.ts'
import { noteTrouble } from './trouble-notes.ts'
import { misfitOf } from './troubles.ts'

/**
 * Brings an order to what its provider says. Repeats, races and kills between any two steps change nothing twice.
 *
 * @returns the order as it is then
 * @throws GatewayError as `Ledger.submit`; StorageFailure
 */
export async function settle(
  parts: PaymentParts,
  id: number,
  payment: Payment,
  cause: Cause,
): Promise<Order> {
  const { db, now } = parts
  await keepReported(parts, await orderById(db, id), payment)
  // One decision brings about another, as a refund that was found and is done. What was carried out and is still so is for the next look.
  const carried_out = new Set<string>()
  for (;;) {
    const order = await orderById(db, id)
    const refunds = await refundsOf(db, id)
    const decisions = decide(order, refunds, payment, now())
    const next = decisions.filter((decision) => !carried_out.has(nameOf(order, decision)))
    if (next.length === 0) return await withSums(parts, order, refunds)
    for (const decision of next) {
      carried_out.add(nameOf(order, decision))
      await carryOut(parts, order, payment, decision, cause)
    }
  }
}

/** A kill after a refund that failed may have left its sum. */
async function withSums({ db }: PaymentParts, order: Order, refunds: readonly OrderRefund[]): Promise<Order> {
  const refunded_minor = refunds
    .filter(({ state }) => state === 'done')
    .reduce((sum, { amount_minor }) => sum + amount_minor, 0)
  if (refunded_minor === order.refunded_minor) return order
  return await db.begin(async (tx) => {
    await lockedOrder(tx, order.id)
    await sumRefunds(tx, order.id)
    return await orderById(tx, order.id)
  })
}

const nameOf = ({ state }: Order, decision: Decision): string => JSON.stringify([state, decision])

/** A fact that the provider has not reported yet may come later, as its fee does; a reported one stays. */
async function keepReported({ db, now }: PaymentParts, order: Order, payment: Payment): Promise<void> {
  const is_its_own = misfitOf(order, payment) === undefined
  if (payment.state !== 'paid' || !is_its_own) return
  await keepFacts(db, order.id, {
    paid_at_ms: now(),
    payment_reference: payment.payment_reference ?? null,
    fee_minor: payment.fee_minor ?? null,
    tax_minor: payment.tax_minor ?? null,
    tax_country: payment.tax_country ?? null,
    receipt_url: payment.receipt_url ?? null,
  })
}

async function carryOut(
  parts: PaymentParts,
  order: Order,
  payment: Payment,
  decision: Decision,
  cause: Cause,
): Promise<void> {
  const { db, now } = parts
  const change = (change: StateChange) => db.begin((tx) => changeState(tx, change, now()))
  switch (decision.what) {
    case 'credit':
      await credit(parts, order, payment, cause)
      return
    case 'close':
      await change({ ...changeOf(order, decision.to, cause), from: ['open'] })
      return
    case 'trouble':
      await noteTrouble(parts, order, decision.sentence, cause)
      return
    case 'dispute':
      await change(changeOf(order, 'disputed', cause))
      return
    case 'dispute_won':
      await change(changeOf(order, 'won', cause))
      return
    case 'dispute_lost':
      await takeLostDispute(parts, order, cause)
      return
    case 'refund_known':
      await setRefund(db, decision.refund.id, { ...decision.refund, ...referenceOf(decision.at_provider) })
      return
    case 'refund_done':
      await finishRefund(parts, decision.refund, decision.at_provider, cause)
      return
    case 'refund_failed':
      await failRefund(parts, decision.refund, decision.at_provider.message ?? '', cause)
      return
    case 'refund_found': {
      const refund = await adoptRefund(parts, order, decision.at_provider)
      if (refund) await takeRefundMoney(parts, refund, cause)
    }
  }
}

const referenceOf = ({ reference }: PaymentRefund): { reference?: string } =>
  reference === '' ? {} : { reference }
