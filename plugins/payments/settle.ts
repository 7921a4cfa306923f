// The carrying out of what a provider says of a payment: credits, refunds and disputes, each once, with the order's state in the ledger's transaction.
import { suspendAccount } from '../../src/access/accounts.ts'
import { formatMinor } from '../../src/domain/currencies.ts'
import type { Payment, PaymentRefund } from '../../src/payment-api.ts'
import { changeState, type StateChange } from '../../src/store/state-changes.ts'
import { debitOf } from './amounts.ts'
import { type Cause, changeOf, wasMadeBefore } from './changes.ts'
import { type Decision, decide, misfitOf } from './decide.ts'
import { noteOf, type PaymentParts } from './parts.ts'
import { adoptRefund, debitRefund, failRefund, finishRefund } from './refunding.ts'
import { wasPaid } from './states.ts'
import { accountNameOf, orderById, refundsOf, setFacts, setTrouble } from './store.ts'
import type { Order } from './tables.ts'

/** One decision may bring about another, as a refund that was found and is done. */
const MAX_ROUNDS = 5

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
  await keepFacts(parts, await orderById(db, id), payment)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const order = await orderById(db, id)
    const decisions = decide(order, await refundsOf(db, id), payment, now())
    if (decisions.length === 0) return order
    for (const decision of decisions) await carryOut(parts, order, payment, decision, cause)
  }
  return await orderById(db, id)
}

/** What the provider has not said yet may come later, as its fee; what it has said stays. */
async function keepFacts({ db, now }: PaymentParts, order: Order, payment: Payment): Promise<void> {
  const is_its_own = wasPaid(order.state) || misfitOf(order, payment) === undefined
  if (payment.state !== 'paid' || !is_its_own) return
  const facts = {
    paid_at_ms: order.paid_at_ms ?? now(),
    payment_reference: payment.payment_reference ?? order.payment_reference,
    fee_minor: payment.fee_minor ?? order.fee_minor,
    tax_minor: payment.tax_minor ?? order.tax_minor,
    tax_country: payment.tax_country ?? order.tax_country,
    receipt_url: payment.receipt_url ?? order.receipt_url,
    is_live: payment.is_test === true ? 0 : order.is_live,
  }
  const is_new = Object.entries(facts).some(([name, value]) => order[name as keyof Order] !== value)
  if (is_new) await setFacts(db, order.id, facts)
}

async function carryOut(
  parts: PaymentParts,
  order: Order,
  payment: Payment,
  decision: Decision,
  cause: Cause,
): Promise<void> {
  switch (decision.what) {
    case 'credit':
      await credit(parts, order, payment, cause)
      return
    case 'close':
      await change(parts, changeOf(order, decision.to, cause))
      return
    case 'trouble':
      await noteTrouble(parts, order, decision.sentence, cause)
      return
    case 'dispute':
      await change(parts, changeOf(order, 'disputed', cause))
      return
    case 'dispute_won':
      await change(parts, changeOf(order, 'won', cause))
      return
    case 'dispute_lost':
      await takeLostDispute(parts, order, cause)
      return
    case 'refund_done':
      await finishRefund(parts, decision.refund, decision.at_provider, cause)
      return
    case 'refund_failed':
      await failRefund(parts, decision.refund, decision.at_provider.message ?? '', cause)
      return
    case 'refund_found':
      await takeFoundRefund(parts, order, decision.at_provider, cause)
  }
}

const change = ({ db, now }: PaymentParts, change: StateChange): Promise<boolean> =>
  db.begin((tx) => changeState(tx, change, now()))

/** Adds what the order gives to the balance, and marks it as paid, in one transaction. */
async function credit(parts: PaymentParts, order: Order, payment: Payment, cause: Cause): Promise<void> {
  const { ledger, db, now } = parts
  const paid = formatMinor(payment.amount_minor, payment.currency)
  const outcome = await ledger.submit({
    op: 'top_up',
    account_id: order.account_id,
    amount_nanos: order.credit_nanos + order.bonus_nanos,
    note: noteOf(order),
    request_key: `order:${order.id}`,
    by: cause.by,
    now_ms: now(),
    changes: [changeOf(order, 'paid', cause, { paid })],
  })
  if (wasMadeBefore(outcome)) await change(parts, changeOf(order, 'paid', cause, { paid }))
  else if (!outcome.ok && outcome.refusal !== 'wrong_state')
    await noteTrouble(parts, order, `The ledger refused the credit: ${outcome.refusal}.`, cause)
  if (outcome.ok && order.trouble !== null) await setTrouble(db, order.id, null)
}

/** Once for each sentence: it is told again whenever the payment is looked at. */
export async function noteTrouble(
  parts: PaymentParts,
  order: Order,
  sentence: string,
  cause: Cause,
): Promise<void> {
  if (order.trouble === sentence) return
  const { db, log, now } = parts
  await db.begin(async (tx) => {
    const { id, state } = order
    const { source } = cause
    const detail = { trouble: sentence }
    // It locks the account, which comes before any write of its rows.
    if (await changeState(tx, { table: 'orders', id, from: [state], to: state, source, detail }, now()))
      await setTrouble(tx, id, sentence)
  })
  log.warn({ order: order.id, account_id: order.account_id }, sentence)
}

/** What the bank took back is owed: the balance pays it, and the rest is debt, which suspends the account. */
async function takeLostDispute(parts: PaymentParts, order: Order, cause: Cause): Promise<void> {
  const { ledger, db, now } = parts
  const amount_nanos = debitOf(order, order.refunded_minor, order.amount_minor - order.refunded_minor)
  const changes = [changeOf(order, 'lost', cause)]
  if (amount_nanos === 0) {
    for (const one of changes) await change(parts, one)
    return
  }
  const outcome = await ledger.submit({
    op: 'open_debt',
    account_id: order.account_id,
    amount_nanos,
    note: `Lost dispute of order ${order.id}`,
    request_key: `dispute:${order.id}`,
    by: cause.by,
    now_ms: now(),
    changes,
  })
  if (wasMadeBefore(outcome)) for (const one of changes) await change(parts, one)
  if (outcome.ok && outcome.debt_nanos > 0)
    await suspendAccount(db, await accountNameOf(db, order.account_id))
}

async function takeFoundRefund(
  parts: PaymentParts,
  order: Order,
  found: PaymentRefund,
  cause: Cause,
): Promise<void> {
  const refund = await adoptRefund(parts, order, found)
  if (refund) await debitRefund(parts, refund, cause)
  else
    await noteTrouble(
      parts,
      order,
      `${formatMinor(found.amount_minor, order.currency)} was refunded at the payment method, more than was left of the payment. Take it from the account by hand.`,
      cause,
    )
}
