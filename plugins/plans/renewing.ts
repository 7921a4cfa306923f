// The renewal of plans: paid months begin, months that are over are followed by the next, and what is not paid within the days of grace ends.
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
 * Sees to all months that are due. Several gateways may do it at once, and be killed anywhere: the next round goes on.
 *
 * @throws what the database and the ledger throw first, once all were seen to: one that fails holds up no other account's
 */
export async function renewPlans(parts: RenewalParts): Promise<void> {
  const failures: unknown[] = []
  for (const due of await duePeriods(parts.db, parts.now())) {
    try {
      await seeTo(parts, due)
    } catch (failure) {
      failures.push(failure)
    }
  }
  if (failures.length > 0) throw failures[0]
}

async function seeTo(parts: RenewalParts, { status, ...period }: PlanPeriod & { status: string }) {
  if (period.state === 'paid') await beginPeriod(parts, period.id)
  else if (period.state === 'active') await renew(parts, period, status === 'active')
  else await lapse(parts, period)
}

async function renew(parts: RenewalParts, period: PlanPeriod, may_pay: boolean): Promise<void> {
  const next = await nextOf(parts, period)
  if (!next) return
  if (await endUnpaid(parts, period, next)) return
  if (!may_pay || (await payPeriod(parts, next)) !== 'unpaid') return
  // Otherwise the charge of the card sends the mail.
  if (period.card_method === null) await mailUnpaid(parts, period, next)
}

/** The mail that a month is to be paid, and until when: once. */
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

/** The month after one that is over: made once; undefined where none follows, and the plan has ended. */
const nextOf = ({ db, catalogue, now }: RenewalParts, { id, account_id }: PlanPeriod) =>
  db.begin(async (tx): Promise<PlanPeriod | undefined> => {
    await tx.lock(account_id)
    const period = await periodById(tx, id)
    const now_ms = now()
    if (period?.state !== 'active' || period.ends_ms > now_ms) return undefined
    // One that is paid is about to begin.
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
    // The days of grace of a month that was seen to late are counted from then.
    const covers_until_ms = Math.max(period.covers_until_ms, next.starts_ms + GRACE_MS)
    await setRenewal(tx, { id, renews: 1, next_plan: period.next_plan, covers_until_ms })
    return next
  })

/** Once the days of grace are over. @returns whether they are */
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

/** An order that nobody has paid for a month. */
const lapse = ({ db, now }: RenewalParts, period: PlanPeriod) =>
  db.begin(async (tx) => {
    await tx.lock(period.account_id)
    const active = await periodIn(tx, period.account_id, 'active')
    if (active?.id === period.follows_id) return
    await changeState(tx, stateChange(period, ['open'], 'lapsed', { reason: 'not paid' }), now())
  })
