// Payment of a plan month from the balance: one transaction withdraws the price and marks the month as paid; then it begins.
import type { ActionContext } from '../../src/domain/actions.ts'
import type { MoneyOutcome, WithdrawOperation } from '../../src/money/ledger/operations.ts'
import type { Awaitable } from '../../src/store/db.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { type BeginParts, beginPeriod, stateChange } from './beginning.ts'
import { periodById } from './store.ts'
import type { PlanPeriod } from './tables.ts'

export interface PayingParts extends BeginParts {
  /** Executes a withdrawal: by the ledger, or in a command by the gateway that owns the ledger. */
  withdraw: (operation: WithdrawOperation) => Awaitable<MoneyOutcome>
}

/** The fields of the ledger operation that pays a month. Its key ensures a single payment. */
export const monthPaymentOf = ({ id, due_nanos, title }: Pick<PlanPeriod, 'id' | 'due_nanos' | 'title'>) => ({
  amount_nanos: due_nanos,
  note: `Plan ${title}`,
  request_key: `plan:${id}`,
})

/** `unpaid`: the free balance is too low. `gone`: the month can no longer be paid. */
export type PayResult = 'active' | 'unpaid' | 'gone'

/**
 * Pays a month from the balance and begins it. Repeats and other gateways pay only once.
 *
 * @throws GatewayError as `Ledger.submit`
 */
export async function payPeriod(
  parts: PayingParts,
  period: PlanPeriod,
  by?: ActionContext,
): Promise<PayResult> {
  const { db, withdraw, now } = parts
  const { id, account_id, due_nanos } = period
  const change = stateChange(period, ['open'], 'paid', { paid_by: 'balance' })
  if (due_nanos === 0) await db.begin((tx) => changeState(tx, change, now()))
  else {
    const outcome = await withdraw({
      op: 'withdraw',
      account_id,
      ...monthPaymentOf(period),
      changes: [change],
      by,
      now_ms: now(),
    })
    if (!outcome.ok && outcome.refusal === 'insufficient_balance') return 'unpaid'
    // wrong_state: the month was paid before, or has lapsed.
    if (!outcome.ok && outcome.refusal !== 'wrong_state')
      throw new Error(`the ledger refused to take the price of a plan: ${outcome.refusal}`)
  }
  await beginPeriod(parts, id, by)
  return (await periodById(db, id))?.state === 'active' ? 'active' : 'gone'
}
