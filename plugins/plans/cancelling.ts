// Cancellation of a plan: at the end of the paid month, or at once within the grace period; and its withdrawal.
import { conflict, notFound } from '../../src/domain/errors.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Tx } from '../../src/store/db.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { endPeriod, stateChange } from './beginning.ts'
import { GRACE_MS } from './months.ts'
import { planBeginning } from './ordering.ts'
import { periodIn, setRenewal } from './store.ts'

/**
 * Cancels the plan of an account, in a transaction that has locked it.
 *
 * @returns the time of its end
 * @throws GatewayError not_found without a plan; conflict while its next month is paid and about to begin
 */
export async function cancelPlan(tx: Tx, account_id: number, now_ms: number): Promise<number> {
  if (await periodIn(tx, account_id, 'paid')) throw planBeginning()
  const active = await periodIn(tx, account_id, 'active')
  const open = await periodIn(tx, account_id, 'open')
  if (!active && !open) throw noPlan()
  if (open) await changeState(tx, stateChange(open, ['open'], 'lapsed', { reason: 'cancelled' }), now_ms)
  if (!active) return now_ms
  await setRenewal(tx, { id: active.id, renews: 0, next_plan: null, covers_until_ms: active.ends_ms })
  await recordAction(tx, { action: 'plan.cancelled', account_id, after: { plan: active.plan } })
  if (active.ends_ms <= now_ms) await endPeriod(tx, active, { reason: 'cancelled', now_ms })
  return Math.max(active.ends_ms, now_ms)
}

/** Withdraws a cancellation or a later change. @throws GatewayError not_found without a plan; conflict after the end of its month */
export async function keepPlan(tx: Tx, account_id: number, now_ms: number): Promise<void> {
  const active = await periodIn(tx, account_id, 'active')
  if (!active) throw noPlan()
  const { id, ends_ms, plan } = active
  if (ends_ms <= now_ms) throw conflict('The month of the plan is over. Buy a plan.', { code: 'plan_ended' })
  await setRenewal(tx, { id, renews: 1, next_plan: null, covers_until_ms: ends_ms + GRACE_MS })
  await recordAction(tx, { action: 'plan.kept', account_id, after: { plan } })
}

const noPlan = () => notFound('The account has no plan.', { code: 'no_plan' })
