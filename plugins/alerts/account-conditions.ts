// Alert conditions of accounts and keys: low balances, and spending above the operator's daily limits.

import { and, eq, gt, gte, sql } from 'drizzle-orm'
import { listedAccounts } from '../../src/access/account-listing.ts'
import { floorToCent, formatUsd, type Nanos } from '../../src/domain/money.ts'
import { DAY_S, today } from '../../src/domain/ranges.ts'
import { weekStart } from '../../src/money/ledger/local-weeks.ts'
import {
  type LowReason,
  lowReason,
  NOTHING_SPENT,
  paceOf,
  spendingOf,
} from '../../src/money/ledger/spending.ts'
import type { Db } from '../../src/store/db.ts'
import { placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { accounts, call_sums, keys } from '../../src/store/schema.ts'
import { counted } from '../../src/utilities/counted.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'
import type { AlertSettings } from './settings.ts'
import type { Condition } from './steps.ts'

const inCents = (nanos: Nanos): string => formatUsd(floorToCent(nanos))

/** Accounts per batch. A batch takes about 3 ms; other requests are served between batches. */
const BATCH_ACCOUNTS = 250

interface LowAccount {
  id: number
  name: string
  reason: LowReason
  available_nanos: Nanos
  debt_nanos: Nanos
  /** Days that the available balance lasts at this week's pace; null if nothing was spent. */
  lasts_days: number | null
}

/** Returns accounts whose balance is low, by the same rule as the console's lists. */
export async function lowAccounts(db: Db, now_ms: number): Promise<LowAccount[]> {
  const spenders = await queries(db).spenders.all({ from_s: weekStart(now_ms) })
  const debtors = await queries(db).debtors.all()
  const ids = [...new Set([...spenders, ...debtors].map(({ account_id }) => account_id))]
  const found: LowAccount[] = []
  for (let start = 0; start < ids.length; start += BATCH_ACCOUNTS) {
    await endOfTurn()
    const batch = ids.slice(start, start + BATCH_ACCOUNTS)
    const spending = await spendingOf(db, batch, now_ms)
    for (const account of await listedAccounts(db, batch)) {
      const available_nanos = account.balance_nanos - account.held_nanos
      const balance = { ...account, available_nanos }
      const spent = spending.get(account.id) ?? NOTHING_SPENT
      const { lasts_days } = paceOf(balance, spent, now_ms)
      const reason = lowReason(balance, spent, { lasts_days })
      if (reason === null) continue
      const { id, name, debt_nanos } = account
      found.push({ id, name, reason, available_nanos, debt_nanos, lasts_days })
    }
  }
  return found
}

/** Returns one condition for each account whose balance is low. */
export const lowBalances = async (db: Db, now_ms: number): Promise<Condition[]> =>
  (await lowAccounts(db, now_ms)).map((account) => ({
    rule: 'low_balance',
    subject: account.name,
    account_id: account.id,
    sentence: balanceSentence(account),
  }))

function balanceSentence({ name, reason, available_nanos, debt_nanos, lasts_days }: LowAccount): string {
  if (reason === 'debt') return `${name} owes ${formatUsd(debt_nanos)} USD.`
  if (reason === 'empty') return `${name} has no balance left.`
  const left = `${name} has ${inCents(available_nanos)} USD left`
  if (reason === 'call') return `${left}, less than one of its calls needs.`
  if (lasts_days === null || lasts_days < 1) return `${left}, less than a day at this week's pace.`
  return `${left}, about ${counted(lasts_days, 'day')} at this week's pace.`
}

/** Returns a condition for each account that spent more today (UTC) than the operator's limit. */
export async function accountSpend(db: Db, limit_nanos: Nanos, now_ms: number): Promise<Condition[]> {
  const rows = await queries(db).byAccount.all({ from_s: today(now_ms).from_ms / 1_000, limit_nanos })
  return rows.map(({ account_id, name, cost_nanos }) => ({
    rule: 'account_spend',
    subject: name,
    account_id,
    sentence: spendSentence(name, cost_nanos, limit_nanos),
  }))
}

/** Returns a condition for each key that spent more today (UTC) than the operator's limit. */
export async function keySpend(db: Db, limit_nanos: Nanos, now_ms: number): Promise<Condition[]> {
  const rows = await queries(db).byKey.all({ from_s: today(now_ms).from_ms / 1_000, limit_nanos })
  return rows.map(({ account_id, name, key_name, prefix, cost_nanos }) => ({
    rule: 'key_spend',
    subject: prefix,
    account_id,
    sentence: spendSentence(`Key ${prefix}… (${key_name}) of ${name}`, cost_nanos, limit_nanos),
  }))
}

const spendSentence = (spender: string, cost_nanos: Nanos, limit_nanos: Nanos): string =>
  `${spender} has spent ${inCents(cost_nanos)} USD today (UTC), more than ${formatUsd(limit_nanos)} USD a day.`

/** Returns the spending conditions for the limits that the operator has set. */
export const spendConditions = async (
  db: Db,
  { account_daily_nanos, key_daily_nanos }: Pick<AlertSettings, 'account_daily_nanos' | 'key_daily_nanos'>,
  now_ms: number,
): Promise<Condition[]> => [
  ...(account_daily_nanos === undefined ? [] : await accountSpend(db, account_daily_nanos, now_ms)),
  ...(key_daily_nanos === undefined ? [] : await keySpend(db, key_daily_nanos, now_ms)),
]

/** DAY_S is a literal, as in the other queries on sums, so that the engine can use an index by day. */
const days = and(eq(call_sums.span_s, sql.raw(String(DAY_S))), gte(call_sums.start_s, placeholder('from_s')))
const cost = sql<number>`sum(${call_sums.cost_nanos})`
const isAbove = sql`sum(${call_sums.cost_nanos}) > ${placeholder('limit_nanos')}`

const queries = perConnection({
  debtors: (orm) => orm.select({ account_id: accounts.id }).from(accounts).where(gt(accounts.debt_nanos, 0)),
  spenders: (orm) =>
    orm
      .select({ account_id: call_sums.account_id })
      .from(call_sums)
      .where(days)
      .groupBy(call_sums.account_id)
      .having(sql`sum(${call_sums.cost_nanos}) > 0`),
  byAccount: (orm) =>
    orm
      .select({ account_id: call_sums.account_id, name: accounts.name, cost_nanos: cost })
      .from(call_sums)
      .innerJoin(accounts, eq(accounts.id, call_sums.account_id))
      .where(and(days, eq(accounts.status, sql`'active'`)))
      .groupBy(call_sums.account_id, accounts.name)
      .having(isAbove),
  byKey: (orm) =>
    orm
      .select({
        account_id: call_sums.account_id,
        name: accounts.name,
        key_name: keys.name,
        prefix: keys.prefix,
        cost_nanos: cost,
      })
      .from(call_sums)
      .innerJoin(keys, eq(keys.id, call_sums.key_id))
      .innerJoin(accounts, eq(accounts.id, call_sums.account_id))
      .where(and(days, eq(accounts.status, sql`'active'`)))
      .groupBy(call_sums.key_id, call_sums.account_id, accounts.name, keys.name, keys.prefix)
      .having(isAbove),
})
