// Budgets (spend limits by period) of accounts, keys and people: set, remove, copy to a rotated key, and read with their use.
import { and, isNotNull, isNull } from 'drizzle-orm'
import type { Fields } from '../domain/actions.ts'
import { BUDGET_PERIODS, type BudgetPeriod, periodStart } from '../domain/budgets.ts'
import { invalidRequest } from '../domain/errors.ts'
import type { Nanos } from '../domain/money.ts'
import { recordAction } from '../store/actions.ts'
import type { Awaitable, Db, Tx } from '../store/db.ts'
import { NEWEST_HOLD_SQL } from '../store/newest-hold.ts'
import { equals, isOneOf, placeholders, rawPlaceholders } from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { type BudgetRow, budgets } from '../store/schema.ts'
import { lockedAccount } from './accounts.ts'
import { refuseClosed } from './closing.ts'
import { usdOrNull } from './key-fields.ts'

/** An account, one of its keys, or one of its people with all their keys. */
export interface BudgetOwner {
  account_id: number
  key_id: number | null
  /** Absent for a budget of the account or the key. */
  person_id?: number | null
}

/** New limits by period. Null removes a limit; absent periods stay. */
export type BudgetChanges = Partial<Record<BudgetPeriod, Nanos | null>>

/** Field names of the limits in requests, responses and the audit log. */
export const BUDGET_NAMES = {
  '5h': 'five_hour_limit',
  day: 'daily_limit',
  week: 'weekly_limit',
  month: 'monthly_limit',
} as const satisfies Record<BudgetPeriod, string>

const queries = perConnection({
  ofAccount: (orm) =>
    orm
      .select()
      .from(budgets)
      .where(
        and(
          equals(budgets.account_id, 'account_id'),
          isNull(budgets.key_id),
          isNull(budgets.person_id),
          isNull(budgets.plan_period_id),
        ),
      )
      .orderBy(budgets.id),
  ofPerson: (orm) =>
    orm
      .select()
      .from(budgets)
      .where(and(equals(budgets.person_id, 'person_id'), equals(budgets.account_id, 'account_id')))
      .orderBy(budgets.id),
  ofPeople: (orm) =>
    orm
      .select()
      .from(budgets)
      .where(and(isOneOf(budgets.account_id, 'account_ids'), isNotNull(budgets.person_id)))
      .orderBy(budgets.id),
  ofKey: (orm) => orm.select().from(budgets).where(equals(budgets.key_id, 'key_id')).orderBy(budgets.id),
  ofKeys: (orm) => orm.select().from(budgets).where(isOneOf(budgets.key_id, 'key_ids')).orderBy(budgets.id),
  insert: (orm) =>
    orm
      .insert(budgets)
      .values(
        placeholders(
          'account_id',
          'key_id',
          'person_id',
          'period',
          'limit_nanos',
          'started_ms',
          'first_hold_id',
          'used_nanos',
        ),
      ),
  setLimit: (orm) => orm.update(budgets).set(rawPlaceholders('limit_nanos')).where(equals(budgets.id, 'id')),
  remove: (orm) => orm.delete(budgets).where(equals(budgets.id, 'id')),
  removeOfPerson: (orm) =>
    orm
      .delete(budgets)
      .where(and(equals(budgets.person_id, 'person_id'), equals(budgets.account_id, 'account_id'))),
})

/** The budgets of an account itself. */
export const budgetsOfAccount = (db: Db, account_id: number): Awaitable<BudgetRow[]> =>
  queries(db).ofAccount.all({ account_id })

/** The budgets of a person in an account, for all their keys there together. */
export const budgetsOfPerson = (
  db: Db,
  of: { account_id: number; person_id: number },
): Awaitable<BudgetRow[]> => queries(db).ofPerson.all({ ...of })

/** The budgets of all people of some accounts. */
export const budgetsOfPeople = (db: Db, account_ids: readonly number[]): Awaitable<BudgetRow[]> =>
  account_ids.length === 0 ? [] : queries(db).ofPeople.all({ account_ids: JSON.stringify(account_ids) })

export const budgetsOfKeys = (db: Db, key_ids: readonly number[]): Awaitable<BudgetRow[]> =>
  key_ids.length === 0 ? [] : queries(db).ofKeys.all({ key_ids: JSON.stringify(key_ids) })

/** Adds their budgets to keys. */
export async function withBudgets<Of extends { id: number }>(
  db: Db,
  keys: readonly Of[],
): Promise<(Of & { budgets: BudgetRow[] })[]> {
  const rows = await budgetsOfKeys(
    db,
    keys.map(({ id }) => id),
  )
  return keys.map((key) => ({ ...key, budgets: rows.filter(({ key_id }) => key_id === key.id) }))
}

/** @throws GatewayError invalid_request for an invalid limit */
export function checkBudgets(changes: BudgetChanges): void {
  for (const period of BUDGET_PERIODS) {
    const nanos = changes[period] ?? 0
    const param = BUDGET_NAMES[period]
    if (!Number.isSafeInteger(nanos) || nanos < 0)
      throw invalidRequest(`${param}: must be 0 USD or more.`, { param })
  }
}

/**
 * Changes budgets in a transaction that has locked the account. A changed budget keeps its use. A new one counts the calls of its period so far;
 * a period of five hours begins with the next call.
 *
 * @returns the changed limits before and after; undefined without a change
 * @throws GatewayError invalid_request for an invalid limit
 */
export async function setBudgets(
  tx: Tx,
  owner: BudgetOwner,
  changes: BudgetChanges,
  now_ms: number,
): Promise<{ before: Fields; after: Fields } | undefined> {
  checkBudgets(changes)
  const { insert, setLimit, remove } = queries(tx)
  const rows = await rowsOf(tx, owner)
  const [before, after]: Fields[] = [{}, {}]
  for (const period of BUDGET_PERIODS) {
    const limit_nanos = changes[period]
    const row = rows.find((row) => row.period === period)
    if (limit_nanos === undefined || limit_nanos === (row?.limit_nanos ?? null)) continue
    if (limit_nanos === null) await remove.run({ id: row?.id ?? 0 })
    else if (row) await setLimit.run({ id: row.id, limit_nanos })
    else
      await insert.run({
        person_id: null,
        ...owner,
        period,
        limit_nanos,
        ...(await usedSoFar(tx, owner, period, now_ms)),
      })
    Object.assign(before ?? {}, { [`${BUDGET_NAMES[period]}_usd`]: usdOrNull(row?.limit_nanos ?? null) })
    Object.assign(after ?? {}, { [`${BUDGET_NAMES[period]}_usd`]: usdOrNull(limit_nanos) })
  }
  return before && after && Object.keys(after).length > 0 ? { before, after } : undefined
}

/** Copies the budgets of a key, with their use, to the key that replaces it. @returns the limits for the audit log */
export async function copyBudgets(tx: Tx, from_key_id: number, to: BudgetOwner): Promise<{ after: Fields }> {
  const { insert } = queries(tx)
  const after: Fields = {}
  for (const { period, limit_nanos, started_ms, first_hold_id, used_nanos } of await budgetsOfKeys(tx, [
    from_key_id,
  ])) {
    await insert.run({ person_id: null, ...to, period, limit_nanos, started_ms, first_hold_id, used_nanos })
    Object.assign(after, { [`${BUDGET_NAMES[period]}_usd`]: usdOrNull(limit_nanos) })
  }
  return { after }
}

/**
 * Changes the budgets of an account.
 *
 * @throws GatewayError not_found without the account; conflict if it is closed; invalid_request for an invalid limit
 */
export const changeAccountBudgets = (
  db: Db,
  account_name: string,
  changes: BudgetChanges,
  now_ms: number,
): Promise<BudgetRow[]> =>
  db.begin(async (tx) => {
    const account = await lockedAccount(tx, account_name)
    await refuseClosed(tx, account)
    const { id: account_id } = account
    const difference = await setBudgets(tx, { account_id, key_id: null }, changes, now_ms)
    if (difference) await recordAction(tx, { action: 'account.limited', account_id, ...difference })
    return await budgetsOfAccount(tx, account_id)
  })

/** Removes the limits of a person who leaves an account. */
export const removePersonBudgets = (
  tx: Tx,
  of: { account_id: number; person_id: number },
): Awaitable<unknown> => queries(tx).removeOfPerson.run({ ...of })

function rowsOf(tx: Tx, { account_id, key_id, person_id = null }: BudgetOwner): Awaitable<BudgetRow[]> {
  if (key_id !== null) return queries(tx).ofKey.all({ key_id })
  return person_id === null
    ? budgetsOfAccount(tx, account_id)
    : budgetsOfPerson(tx, { account_id, person_id })
}

/** Computes the initial use of a budget: costs of the period's calls so far, and holds of running calls. */
async function usedSoFar(tx: Tx, owner: BudgetOwner, period: BudgetPeriod, now_ms: number) {
  if (period === '5h') return { started_ms: null, first_hold_id: 0, used_nanos: 0 }
  const started_ms = periodStart(period, now_ms)
  const [used] = await tx.rows<{ used_nanos: Nanos; first_hold_id: number }>(USED, {
    person_id: null,
    ...owner,
    from_ms: started_ms,
    from_s: started_ms / 1_000,
  })
  if (!used) throw new Error('a sum has no row')
  return { started_ms, ...used }
}

/**
 * Rows of a key, of all current keys of a person, or of the whole account. `span_s <> 900` selects the sums of days, as in their index. If a key
 * was handed to the person within the period, all of its calls count, since sums do not distinguish its owners.
 */
const OWN = `account_id = $account_id AND key_id = coalesce(CAST($key_id AS bigint), key_id)
  AND (CAST($person_id AS bigint) IS NULL OR key_id IN (SELECT id FROM keys WHERE person_id = $person_id AND account_id = $account_id))`

/**
 * Counts like the ledger: by the ID of the period's first call or hold, so that later refunds of these calls count, too. Calls with a higher ID
 * that started before the period by their clock also count; they are few. The first hold may be expired, since it may still be settled late.
 */
const USED = `
  WITH of_period AS (
         SELECT min(first_call_id) AS id, coalesce(sum(cost_nanos), 0) AS nanos
           FROM call_sums WHERE ${OWN} AND span_s <> 900 AND start_s >= $from_s),
       first AS (
         SELECT coalesce(min(id), ${NEWEST_HOLD_SQL} + 1) AS hold_id
           FROM (SELECT id FROM of_period UNION ALL SELECT min(id) FROM holds WHERE ${OWN} AND created_at_ms >= $from_ms) AS firsts),
       earlier AS (
         SELECT max(last_call_id) AS last_id FROM call_sums WHERE ${OWN} AND span_s <> 900 AND start_s < $from_s)
  SELECT hold_id AS first_hold_id,
         (SELECT nanos FROM of_period)
         + (SELECT coalesce(sum(amount_nanos), 0) FROM holds WHERE ${OWN} AND state = 'pending' AND id >= hold_id)
         + (SELECT coalesce(sum(cost_nanos - refunded_nanos), 0) FROM calls
             WHERE ${OWN} AND id >= hold_id AND id <= (SELECT last_id FROM earlier) AND started_at_ms < $from_ms) AS used_nanos
    FROM first`
