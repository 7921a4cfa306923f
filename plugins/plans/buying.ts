// The purchase of a plan from the balance: at once, or from the end of the month on.
import type { ActionContext } from '../../src/domain/actions.ts'
import { conflict, unprocessable } from '../../src/domain/errors.ts'
import { formatUsd } from '../../src/domain/money.ts'
import { recordAction } from '../../src/store/actions.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { stateChange } from './beginning.ts'
import { orderPlan, planNamed } from './ordering.ts'
import { type PayingParts, payPeriod } from './paying.ts'
import type { Plan } from './settings.ts'
import type { PlanPeriod } from './tables.ts'

export interface Purchase {
  account_id: number
  /** The plan's name. */
  plan: string
  by: ActionContext | undefined
}

/** When a plan begins that was bought: null: it has. */
export type Bought = { changes_at_ms: number | null }

/**
 * Buys a plan for an account.
 *
 * @throws GatewayError not_found for a plan that is not offered; conflict (code has_plan) for the one that it has; unprocessable (code
 * insufficient_balance) where the balance does not pay for it: nothing was changed then; as `Ledger.submit`
 */
export async function buyPlan(
  parts: PayingParts,
  offered: readonly Plan[],
  { account_id, plan: name, by }: Purchase,
): Promise<Bought> {
  const { db, now } = parts
  const plan = planNamed(offered, name)
  const ordered = await db.begin(
    async (tx) => {
      await tx.lock(account_id)
      const order = await orderPlan(tx, account_id, plan, now())
      if ('changes_at_ms' in order)
        await recordAction(tx, {
          action: 'plan.changed',
          account_id,
          after: { plan: plan.name, from: new Date(order.changes_at_ms).toISOString() },
        })
      return order
    },
    { by },
  )
  if ('changes_at_ms' in ordered) return ordered
  const { period } = ordered
  const paid = await payPeriod(parts, period, by)
  if (paid === 'begun') return { changes_at_ms: null }
  if (paid === 'gone')
    throw conflict('The plan was changed meanwhile. Look at it, then try again.', { code: 'plan_changed' })
  await giveUp(parts, period)
  throw unprocessable(
    `The available balance is less than ${formatUsd(period.due_nanos)} USD, which this plan costs now. Add funds, then buy it.`,
    { code: 'insufficient_balance', param: 'plan' },
  )
}

/** The next month of a plan may be paid within its days of grace; any other order is over. */
const giveUp = ({ db, now }: PayingParts, period: PlanPeriod) =>
  db.begin(async (tx) => {
    await tx.lock(period.account_id)
    if (period.month_number === 1)
      await changeState(tx, stateChange(period, ['open'], 'lapsed', { reason: 'not paid' }), now())
  })
