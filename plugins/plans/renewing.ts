// Renewal of plans: begins paid months, orders and pays next months, and ends plans that are not paid within the grace period.
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { beginPeriod, endPeriod, stateChange } from './beginning.ts'
import { mailAccount } from './mails.ts'
import { GRACE_MS } from './months.ts'
import { orderNextMonth } from './ordering.ts'
import { type PayingParts, payPeriod } from './paying.ts'
import { planSettings } from './settings.ts'
import { duePeriods, periodById, periodIn, setRenewal } from './store.ts'
import type { PlanPeriod } from './tables.ts'

interface RenewalParts extends PayingParts {
  catalogue: () => Pick<Catalogue, 'sections'>
}

/**
 * Processes all due months. Safe with several gateways at once and kills at any point: the next round continues.
 *
 * @throws the first error of the database or the ledger, after all months were processed, so that a failure delays no other account
 */
export async function renewPlans(parts: RenewalParts): Promise<void> {
  const failures: unknown[] = []
  for (const due of await duePeriods(parts.db, parts.now())) {
    try {
      await processPeriod(parts, due)
    } catch (failure) {
      failures.push(failure)
    }
  }
  if (failures.length > 0) throw failures[0]
}

async function processPeriod(parts: RenewalParts, { status, ...period }: PlanPeriod & { status: string }) {
  if (period.state === 'paid') await beginPeriod(parts, period.id)
  else if (period.state === 'active') await renew(parts, period, status === 'active')
  else await lapseUnpaid(parts, period)
}

async function renew(parts: RenewalParts, period: PlanPeriod, may_pay: boolean): Promise<void> {
  const next = await orderNextOrEnd(parts, period)
  if (!next) return
  if (await endUnpaid(parts, period, next)) return
  if (!may_pay || (await payPeriod(parts, next)) !== 'unpaid') return
  // Otherwise the charge of the card sends the mail.
  if (period.card_method === null) await mailUnpaid(parts, period, next)
}

/** Mails the account, once, that a month must be paid and until when. */
const mailUnpaid = ({ db, catalogue, now }: RenewalParts, { id, account_id }: PlanPeriod, next: PlanPeriod) =>
  db.begin(async (tx) => {
    await tx.lock(account_id)
    const before = await periodById(tx, id)
    if (before?.state !== 'active') return
    const { title, due_nanos } = next
    await mailAccount(tx, catalogue, {
      purpose: 'plan_unpaid',
      account_id,
      fields: { plan: title, due_nanos, until_ms: before.covers_until_ms, failure: null },
      request_key: `plan_unpaid:${next.id}`,
      now_ms: now(),
    })
  })

/** Orders the month after an ended one, once, or ends the plan. @returns undefined if it has ended, or a paid month is about to begin */
const orderNextOrEnd = ({ db, catalogue, now }: RenewalParts, { id, account_id }: PlanPeriod) =>
  db.begin(async (tx): Promise<PlanPeriod | undefined> => {
    await tx.lock(account_id)
    const period = await periodById(tx, id)
    const now_ms = now()
    if (period?.state !== 'active' || period.ends_ms > now_ms) return undefined
    // A paid month is about to begin.
    if (await periodIn(tx, account_id, 'paid')) return undefined
    const open = await periodIn(tx, account_id, 'open')
    if (open?.follows_id === id && open.starts_ms >= period.ends_ms) return open
    if (open)
      await changeState(tx, stateChange(open, ['open'], 'lapsed', { reason: 'the month is over' }), now_ms)
    if (period.renews === 0) {
      await endPeriod(tx, period, { reason: 'cancelled', now_ms }, catalogue)
      return undefined
    }
    const name = period.next_plan ?? period.plan
    const plan = planSettings.of(catalogue()).find((plan) => plan.name === name)
    if (!plan) {
      await endPeriod(tx, period, { reason: 'no longer offered', now_ms }, catalogue)
      return undefined
    }
    const next = await orderNextMonth(tx, period, plan, now_ms)
    // If the renewal is late, the grace period starts now.
    const covers_until_ms = Math.max(period.covers_until_ms, next.starts_ms + GRACE_MS)
    await setRenewal(tx, { id, renews: 1, next_plan: period.next_plan, covers_until_ms })
    return next
  })

/** Ends a plan whose grace period is over. @returns whether it ended */
const endUnpaid = ({ db, now, catalogue }: RenewalParts, { id, account_id }: PlanPeriod, next: PlanPeriod) =>
  db.begin(async (tx) => {
    await tx.lock(account_id)
    const period = await periodById(tx, id)
    const now_ms = now()
    if (period?.state !== 'active' || now_ms < period.covers_until_ms) return false
    if (!(await changeState(tx, stateChange(next, ['open'], 'lapsed', { reason: 'not paid' }), now_ms)))
      return false
    await endPeriod(tx, period, { reason: 'not paid', now_ms }, catalogue)
    return true
  })

/** Marks a month as lapsed that was not paid until its end, unless it follows the active one. */
const lapseUnpaid = ({ db, now }: RenewalParts, period: PlanPeriod) =>
  db.begin(async (tx) => {
    await tx.lock(period.account_id)
    const active = await periodIn(tx, period.account_id, 'active')
    if (active?.id === period.follows_id) return
    await changeState(tx, stateChange(period, ['open'], 'lapsed', { reason: 'not paid' }), now())
  })
