// The audit: every invariant of the ledger checked over all of its rows, as of one moment.

import type { CheckedRule, Finding } from '../../domain/finding.ts'
import type { Nanos } from '../../domain/money.ts'
import { type Db, LONG } from '../../store/db.ts'
import { type Breach, type Counted, INVARIANTS, type Invariant } from './invariants.ts'
import { totalQueries } from './queries.ts'

export interface Totals {
  accounts: number
  keys: number
  calls: number
  pending_holds: number
  balance_nanos: Nanos
  held_nanos: Nanos
  debt_nanos: Nanos
  /** All that was ever charged for calls, debt payments included. */
  charged_nanos: Nanos
  topped_up_nanos: Nanos
  refunded_nanos: Nanos
  withdrawn_nanos: Nanos
}

export interface Audit {
  clean: boolean
  /** Every rule that was checked. */
  rules: CheckedRule[]
  findings: Finding[]
  totals: Totals
}

/** A broken invariant may be broken in every row; the first ones are enough for a person. */
const MAX_FINDINGS_PER_INVARIANT = 100

/**
 * Checks every invariant. It reads one snapshot, so it may run beside a server that writes; a read-only connection is
 * enough.
 *
 * @param onRule told how many rules have been checked, before each
 * @returns at most 100 findings for each invariant; `clean` without any
 */
export function audit(db: Db, onRule: (done: number) => void = () => {}): Promise<Audit> {
  return db.snapshot(async (then) => {
    const findings: Finding[] = []
    for (const [done, invariant] of INVARIANTS.entries()) {
      onRule(done)
      const { name, meaning } = invariant
      for (const breach of await breachesOf(then, invariant))
        findings.push({ invariant: name, meaning, ...breach })
    }
    const [rules, totals] = [await rulesOf(then, findings), await totalsOf(then)]
    return { clean: findings.length === 0, rules, findings, totals }
  }, LONG)
}

async function breachesOf(db: Db, { sql, breach }: Invariant): Promise<Breach[]> {
  if (!breach) return await db.rows<Breach>(`${sql} LIMIT ${MAX_FINDINGS_PER_INVARIANT}`)
  const found = await db.rows<Breach>(sql)
  return found.flatMap((row) => breach(row) ?? []).slice(0, MAX_FINDINGS_PER_INVARIANT)
}

async function rulesOf(db: Db, findings: readonly Finding[]): Promise<CheckedRule[]> {
  const [row] = await db.rows<Record<Counted, number>>(COUNTS)
  const counts = one(row)
  return INVARIANTS.map(({ name, meaning, over }) => ({
    invariant: name,
    meaning,
    over,
    checked: counts[over],
    breaches: findings.filter(({ invariant }) => invariant === name).length,
  }))
}

const COUNTS = `SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM keys) AS keys,
                       (SELECT count(*) FROM holds) AS holds, (SELECT count(*) FROM calls) AS calls,
                       (SELECT count(*) FROM entries) AS entries, (SELECT count(*) FROM budgets) AS budgets,
                       (SELECT count(*) FROM prices) AS prices, (SELECT count(*) FROM generations) AS images,
                       (SELECT count(*) FROM entries WHERE kind = 'charge') AS charges,
                       (SELECT count(*) FROM call_sums WHERE span_s = 86400) AS "daily sums",
                       (SELECT count(*) FROM call_sums WHERE span_s = 900) AS "quarter sums"`

async function totalsOf(db: Db): Promise<Totals> {
  const totals = totalQueries(db)
  const { accounts, ...money } = one(await totals.accounts.get())
  return {
    accounts,
    ...one(await totals.keys.get()),
    ...one(await totals.calls.get()),
    ...one(await totals.pendingHolds.get()),
    ...money,
    ...one(await totals.entries.get()),
  }
}

function one<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('an aggregate query returned no row')
  return row
}
