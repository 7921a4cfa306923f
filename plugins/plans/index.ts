// The exports for other plugins: a month to be paid by a card, and that it was paid.

import type { Gateway } from '../../src/app/surface/gateway.ts'
import { conflict } from '../../src/domain/errors.ts'
import type { Tx } from '../../src/store/db.ts'
import { orderPlan, planNamed } from './ordering.ts'
import { payPeriod } from './paying.ts'
import { planSettings } from './settings.ts'
import { periodById } from './store.ts'
import { partsOf } from './sweep.ts'
import type { PlanPeriod } from './tables.ts'

export { PlanView, planView } from './views.ts'

/**
 * Orders a month of a plan that is to be paid otherwise than from the balance: its number and what is due. In a transaction that has locked
 * the account.
 *
 * @throws GatewayError not_found; conflict where nothing is due now, as of a cheaper plan
 */
export async function orderPlanPeriod(
  tx: Tx,
  { calls }: Pick<Gateway, 'calls'>,
  { account_id, plan }: { account_id: number; plan: string },
): Promise<Pick<PlanPeriod, 'id' | 'due_nanos' | 'title'>> {
  const order = await orderPlan(
    tx,
    account_id,
    planNamed(planSettings.of(calls.catalogue()), plan),
    calls.now(),
  )
  if ('period' in order) return order.period
  throw conflict('A cheaper plan begins when the month is over, and is paid then.', { code: 'changes_later' })
}

/**
 * Begins a month whose price was credited to the balance: it takes that from there. Called again it does nothing. What debt has taken of the
 * credit is missing: the month stays open then, and is begun by the next round or call once the balance has enough.
 *
 * @returns whether it has begun
 * @throws GatewayError as `Ledger.submit`
 */
export async function paidPlanPeriod(gateway: Pick<Gateway, 'db' | 'calls'>, id: number): Promise<boolean> {
  const period = await periodById(gateway.db, id)
  return period !== undefined && (await payPeriod(partsOf(gateway), period)) === 'begun'
}
