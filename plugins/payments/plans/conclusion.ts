// Consequences of a plan's payment: the month begins, or a mail tells the account that the payment became balance; a lost dispute ends the plan.
import { formatMinor } from '../../../src/domain/currencies.ts'
import { DAY_MS } from '../../../src/domain/ranges.ts'
import {
  beginPeriod,
  endPeriod,
  isBoughtBy,
  lapsePeriod,
  mailAccount,
  periodById,
  periodIn,
} from '../../plans/index.ts'
import type { PaymentParts } from '../parts.ts'
import { wasPaid } from '../states.ts'
import type { Order } from '../tables.ts'

/** Refreshes after this time send no mail. */
const NOTIFIED_WITHIN_MS = 7 * DAY_MS

/** Begins the plan month that a paid order bought, or mails the account. Idempotent; ignores other orders. */
export async function concludePlanOrder(parts: PaymentParts, order: Order): Promise<void> {
  const { db, now, catalogue } = parts
  const { id, account_id, plan_period_id, state, paid_at_ms } = order
  if (plan_period_id === null || !wasPaid(state)) return
  const period = await periodById(db, plan_period_id)
  if (!period) return
  if (await isBoughtBy(db, period.id, id)) {
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

/** Ends the plan whose payment the payer's bank took back. */
export async function endLostPlan(
  parts: PaymentParts,
  { id, account_id, plan_period_id }: Order,
): Promise<void> {
  if (plan_period_id === null || !(await isBoughtBy(parts.db, plan_period_id, id))) return
  const now_ms = parts.now()
  // A paid month may replace the lost one.
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
