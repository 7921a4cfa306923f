// Purchase of a plan from the balance: at once, or from the end of the current month.
import type { ActionContext } from '../../src/domain/actions.ts'
import { conflict, unprocessable } from '../../src/domain/errors.ts'
import { formatUsd, type Nanos } from '../../src/domain/money.ts'
import { recordAction } from '../../src/store/actions.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { stateChange } from './beginning.ts'
import { orderPlan, type PlanOrder, planNamed } from './ordering.ts'
import { type PayingParts, payPeriod } from './paying.ts'
import type { Plan } from './settings.ts'
import { periodIn } from './store.ts'
import type { PlanPeriod } from './tables.ts'

interface Purchase {
  account_id: number
  /** Name of the plan. */
  plan: string
  by: ActionContext | undefined
  /** The price that the page showed; absent: any price is accepted. */
  quote?: Quote | undefined
}

/** The price of a plan that the page showed. */
export interface Quote {
  priced_at_ms: number
  /** Null: nothing is due now, since the plan begins later. */
  due_nanos: Nanos | null
}

/** Long enough to read the page and to add funds, and so short that the unused part of the month hardly changes. */
const QUOTE_VALID_MS = 10 * 60_000
/** Maximum clock skew between gateways. */
const MAX_CLOCK_SKEW_MS = 60_000

/** The start of a bought plan; null if it has started. */
type BoughtPlan = { changes_at_ms: number | null }

/**
 * Buys a plan for an account.
 *
 * @throws GatewayError not_found for a plan that is not offered; conflict with code has_plan if the account has the plan, and with price_changed if
 * the price differs from the quote or the quote is too old; unprocessable with code insufficient_balance: nothing was changed; as `Ledger.submit`
 */
export async function buyPlan(
  parts: PayingParts,
  offered: readonly Plan[],
  { account_id, plan: name, by, quote }: Purchase,
): Promise<BoughtPlan> {
  const { db, now } = parts
  const plan = planNamed(offered, name)
  const ordered = await db.begin(
    async (tx) => {
      await tx.lock(account_id)
      const order = await orderPlan(tx, account_id, plan, now(), quote?.priced_at_ms)
      if (quote) requireQuote(order, quote, now())
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
  if (paid === 'active') return { changes_at_ms: null }
  if (paid === 'gone')
    throw conflict('The plan was changed meanwhile. Look at it, then try again.', { code: 'plan_changed' })
  await dropUnpaidPeriod(parts, period)
  throw unprocessable(
    `The available balance is less than ${formatUsd(period.due_nanos)} USD, which this plan costs now. Add funds, then buy it.`,
    { code: 'insufficient_balance', param: 'plan' },
  )
}

/** @throws GatewayError conflict if the quote does not match the order; rolls back the caller's transaction */
export function requireQuote(order: PlanOrder, { priced_at_ms, due_nanos }: Quote, now_ms: number): void {
  const is_fresh = priced_at_ms >= now_ms - QUOTE_VALID_MS && priced_at_ms <= now_ms + MAX_CLOCK_SKEW_MS
  if (is_fresh && due_nanos === ('period' in order ? order.period.due_nanos : null)) return
  throw conflict('The price has changed. Check it, then buy the plan.', { code: 'price_changed' })
}

/** Drops an unpaid month, unless it follows the active month: then it may be paid within the grace period. */
const dropUnpaidPeriod = ({ db, now }: PayingParts, period: PlanPeriod) =>
  db.begin(async (tx) => {
    await tx.lock(period.account_id)
    const active = await periodIn(tx, period.account_id, 'active')
    if (!active || period.follows_id !== active.id || period.starts_ms < active.ends_ms)
      await changeState(tx, stateChange(period, ['open'], 'lapsed', { reason: 'not paid' }), now())
  })
