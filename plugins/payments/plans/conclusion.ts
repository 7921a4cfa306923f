// Consequences of a payment for a plan once it is credited: the month begins, or the account is told that the money is balance.
import { formatMinor } from '../../../src/domain/currencies.ts'
import { DAY_MS } from '../../../src/domain/ranges.ts'
import {
  beginPeriod,
  endPeriod,
  lapsePeriod,
  mailAccount,
  periodById,
  periodIn,
  wasBoughtBy,
} from '../../plans/index.ts'
import type { PaymentParts } from '../parts.ts'
import { wasPaid } from '../states.ts'
import type { Order } from '../tables.ts'

/** Later looks at a payment send no mail. */
const NOTIFIED_WITHIN_MS = 7 * DAY_MS

/** Does nothing for an order of no plan, or that is not paid. Called again it does nothing more. */
export async function concludePlanOrder(parts: PaymentParts, order: Order): Promise<void> {
  const { db, now, catalogue } = parts
  const { id, account_id, plan_period_id, state, paid_at_ms } = order
  if (plan_period_id === null || !wasPaid(state)) return
  const period = await periodById(db, plan_period_id)
  if (!period) return
  if (await wasBoughtBy(db, period.id, id)) {
    if (period.state === 'paid') await beginPeriod(parts, period.id)
    return
  }
  if (now() >= (paid_at_ms ?? 0) + NOTIFIED_WITHIN_MS) return
  await db.begin((tx) =>
    mailAccount(tx, catalogue, {
      purpose: 'plan_not_begun',
      account_id,
      fields: {
        plan: period.title,
        amount: formatMinor(order.amount_minor, order.currency),
        credit_nanos: order.credit_nanos + order.bonus_nanos,
      },
      request_key: `plan_not_begun:${id}`,
      now_ms: now(),
    }),
  )
}

/** Ends the plan whose month a payment paid for that the bank took back. */
export async function endLostPlan(
  parts: PaymentParts,
  { id, account_id, plan_period_id }: Order,
): Promise<void> {
  if (plan_period_id === null || !(await wasBoughtBy(parts.db, plan_period_id, id))) return
  const now_ms = parts.now()
  // Also one that takes the place of the month that is lost.
  const paid = await periodIn(parts.db, account_id, 'paid')
  if (paid) await beginPeriod(parts, paid.id)
  await parts.db.begin(async (tx) => {
    await tx.lock(account_id)
    const period = await periodById(tx, plan_period_id)
    if (period?.state !== 'active') return
    const next = await periodIn(tx, account_id, 'open')
    if (next) await lapsePeriod(tx, next.id, 'payment lost', now_ms)
    await endPeriod(tx, period, { reason: 'payment lost', now_ms }, parts.catalogue)
  })
}
