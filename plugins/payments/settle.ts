// Execution of the decisions on an order: credits, refunds and disputes, each once, in one transaction with the order's state.
import type { Payment, PaymentRefund } from '../../src/payment-api.ts'
import { changeState, type StateChange } from '../../src/store/state-changes.ts'
import { type Cause, changeOf } from './changes.ts'
import { credit } from './crediting.ts'
import { type Decision, decide } from './decide.ts'
import { debitLostDispute } from './disputes.ts'
import { adoptRefund } from './found-refunds.ts'
import type { PaymentParts } from './parts.ts'
import { failRefund, finishRefund } from './refund-ends.ts'
import { refundsOf, setRefund, sumRefunds } from './refund-store.ts'
import { tryDebitRefund } from './refunding.ts'
import { lockedOrder, orderById, savePaymentFacts } from './store.ts'
import type { Order, OrderRefund } from './tables.ts'
import { noteTrouble } from './trouble-notes.ts'
import { mismatchOf } from './troubles.ts'

/**
 * Brings an order to the state that its provider reports. Repeats, races and kills between any two steps change nothing twice.
 *
 * @returns the updated order
 * @throws GatewayError as `Ledger.submit`; StorageFailure
 */
export async function settle(
  parts: PaymentParts,
  id: number,
  payment: Payment,
  cause: Cause,
): Promise<Order> {
  const { db, now } = parts
  await saveReported(parts, await orderById(db, id), payment)
  // A decision can cause another one, such as a refund that is found and then done. A decision that repeats is left to the next refresh.
  const executed = new Set<string>()
  for (;;) {
    const order = await orderById(db, id)
    const refunds = await refundsOf(db, id)
    const decisions = decide(order, refunds, payment, now())
    const next = decisions.filter((decision) => !executed.has(decisionKey(order, decision)))
    if (next.length === 0) return await withSums(parts, order, refunds)
    for (const decision of next) {
      executed.add(decisionKey(order, decision))
      await execute(parts, order, payment, decision, cause)
    }
  }
}

/** Corrects `refunded_minor`, which a kill after a failed refund may have left wrong. */
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

const decisionKey = ({ state }: Order, decision: Decision): string => JSON.stringify([state, decision])

/** Saves the facts of a paid payment that matches its order. A fact that is missing now, such as the fee, may be reported later. */
async function saveReported({ db, now }: PaymentParts, order: Order, payment: Payment): Promise<void> {
  const is_its_own = mismatchOf(order, payment) === undefined
  if (payment.state !== 'paid' || !is_its_own) return
  await savePaymentFacts(db, order.id, {
    paid_at_ms: now(),
    payment_reference: payment.payment_reference ?? null,
    fee_minor: payment.fee_minor ?? null,
    tax_minor: payment.tax_minor ?? null,
    tax_country: payment.tax_country ?? null,
    receipt_url: payment.receipt_url ?? null,
  })
}

async function execute(
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
      await change(changeOf(order, 'disputed', cause, { due_ms: payment.dispute_due_ms }))
      return
    case 'dispute_won':
      await change(changeOf(order, 'won', cause))
      return
    case 'dispute_lost':
      await debitLostDispute(parts, order, cause)
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
      if (refund) await tryDebitRefund(parts, refund, cause)
    }
  }
}

const referenceOf = ({ reference }: PaymentRefund): { reference?: string } =>
  reference === '' ? {} : { reference }
