// The faults of an account's plans once all is decided, by independent arithmetic over the rows: each payment is one month, or balance with a mail.
import { wasPaid } from '../../../plugins/payments/states.ts'
import type { Order } from '../../../plugins/payments/tables.ts'
import type { PlanPeriod } from '../../../plugins/plans/tables.ts'
import { stateChangesOf } from '../../../src/store/state-changes.ts'
import type { World } from '../world.ts'

export async function planFaultsOf({ db, money }: World, account_id: number): Promise<string[]> {
  const faults: string[] = []
  const expect = (is_so: boolean, fault: string) =>
    void (is_so || faults.push(`account ${account_id}: ${fault}`))
  const rows = <Row>(text: string) => db.rows<Row>(text, { account_id })
  const periods = await rows<PlanPeriod>(
    'SELECT * FROM plan_periods WHERE account_id = $account_id ORDER BY id',
  )
  const orders = await rows<Order>('SELECT * FROM orders WHERE account_id = $account_id ORDER BY id')
  const mails = await rows<{ request_key: string }>(
    "SELECT request_key FROM mails WHERE purpose = 'plan_not_begun' AND account_id = $account_id",
  )
  const entries = await rows<{ request_key: string; amount_nanos: number }>(
    'SELECT request_key, amount_nanos FROM entries WHERE account_id = $account_id AND request_key IS NOT NULL',
  )
  /** Expects one entry of this amount, or none for 0. */
  const expectMoved = (key: string, nanos: number) => {
    const moved = entries
      .filter(({ request_key }) => request_key === key)
      .map(({ amount_nanos }) => Number(amount_nanos))
    expect(`${moved}` === (nanos === 0 ? '' : `${nanos}`), `${key} has moved ${moved} instead of ${nanos}`)
  }
  const bought_by = new Map<number, number>()
  for (const { id, state, due_nanos, returned_nanos } of periods) {
    const paid = (await stateChangesOf(db, 'plan_periods', id)).filter(({ to_state }) => to_state === 'paid')
    expect(paid.length <= 1, `month ${id} was paid ${paid.length} times`)
    expectMoved(`plan:${id}`, -due_nanos * paid.length)
    expectMoved(`plan-back:${id}`, returned_nanos)
    expect(state !== 'paid', `month ${id} is paid and has not begun`)
    expect(
      (paid.length === 1) === ['active', 'ended', 'replaced'].includes(state),
      `month ${id}: ${state}, paid ${paid.length} times`,
    )
    for (const { detail } of paid) bought_by.set(Number(JSON.parse(detail).order), id)
  }
  for (const { id, state, plan_period_id } of orders) {
    if (plan_period_id === null) continue
    const has_mail = mails.some(({ request_key }) => request_key === `plan_not_begun:${id}`)
    const is_month = bought_by.has(id)
    expect(
      wasPaid(state) ? is_month !== has_mail : !is_month && !has_mail,
      `order ${id}: ${state}, month ${is_month}, mail ${has_mail}`,
    )
    expect(!is_month || bought_by.get(id) === Number(plan_period_id), `order ${id} bought another month`)
  }
  const active = periods.filter(({ state }) => state === 'active')
  const [account] = await rows<{ plan_period_id: number | null }>(
    'SELECT plan_period_id FROM accounts WHERE id = $account_id',
  )
  expect(active.length <= 1, `${active.length} months at once`)
  expect((account?.plan_period_id ?? null) === (active[0]?.id ?? null), 'it has another plan than its month')
  const [limits] = await rows<{ count: number }>(
    `SELECT count(*) AS count FROM budgets WHERE account_id = $account_id
      AND plan_period_id IS NOT NULL AND plan_period_id <> ${active[0]?.id ?? 0}`,
  )
  expect(Number(limits?.count) === 0, 'limits of a month that is over are left')
  const { balance, debt } = await money(account_id)
  expect(balance === 0 || debt === 0, 'both balance and debt')
  return faults
}
