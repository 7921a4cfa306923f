// The payment of a month from the balance: the withdrawal and the month's state are one transaction; then it begins.
import type { ActionContext } from '../../src/domain/actions.ts'
import type { MoneyOutcome, WithdrawOperation } from '../../src/money/ledger/operations.ts'
import type { Awaitable } from '../../src/store/db.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { type BeginParts, beginPeriod, stateChange } from './beginning.ts'
import { periodById } from './store.ts'
import type { PlanPeriod } from './tables.ts'

export interface PayingParts extends BeginParts {
  /** Takes from the balance: the ledger, or the gateway that has it. */
  withdraw: (operation: WithdrawOperation) => Awaitable<MoneyOutcome>
}

/** The price of a month as a movement of money, whoever makes it: once, by its key. */
export const priceOf = ({ id, due_nanos, title }: Pick<PlanPeriod, 'id' | 'due_nanos' | 'title'>) => ({
  amount_nanos: due_nanos,
  note: `Plan ${title}`,
  request_key: `plan:${id}`,
})

/** `unpaid`: the free balance is less than what is due. `gone`: the month is to be paid no more. */
export type Paid = 'begun' | 'unpaid' | 'gone'

/**
 * Pays a month from the balance, and begins it. A repeat, or another gateway that does the same, pays once.
 *
 * @throws GatewayError as `Ledger.submit`
 */
export async function payPeriod(parts: PayingParts, period: PlanPeriod, by?: ActionContext): Promise<Paid> {
  const { db, withdraw, now } = parts
  const { id, account_id, due_nanos } = period
  const change = stateChange(period, ['open'], 'paid', { paid_by: 'balance' })
  if (due_nanos === 0) await db.begin((tx) => changeState(tx, change, now()))
  else {
    const outcome = await withdraw({
      op: 'withdraw',
      account_id,
      ...priceOf(period),
      changes: [change],
      by,
      now_ms: now(),
    })
    if (!outcome.ok && outcome.refusal === 'insufficient_balance') return 'unpaid'
    // Of another state: it was paid before, or it is over.
    if (!outcome.ok && outcome.refusal !== 'wrong_state')
      throw new Error(`the ledger refused to take the price of a plan: ${outcome.refusal}`)
  }
  await beginPeriod(parts, id, by)
  return (await periodById(db, id))?.state === 'active' ? 'begun' : 'gone'
}
