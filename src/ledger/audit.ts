// The audit: every invariant of the ledger checked over all of its rows, as of one moment.
import type { Database } from 'bun:sqlite'
import type { CheckedRule, Finding } from '../domain/finding.ts'
import type { Nanos } from '../domain/money.ts'
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
 * @param db a connection that is in no transaction
 * @param onRule told how many rules have been checked, before each
 * @returns at most 100 findings for each invariant; `clean` without any
 */
export function audit(db: Database, onRule: (done: number) => void = () => {}): Audit {
  return db.transaction(() => {
    const findings = INVARIANTS.flatMap((invariant, done) => {
      onRule(done)
      return breachesOf(db, invariant).map((breach) => ({
        invariant: invariant.name,
        meaning: invariant.meaning,
        ...breach,
      }))
    })
    return { clean: findings.length === 0, rules: rulesOf(db, findings), findings, totals: totalsOf(db) }
  })()
}

function breachesOf(db: Database, { sql, breach }: Invariant): Breach[] {
  if (!breach) return db.query<Breach, []>(`${sql} LIMIT ${MAX_FINDINGS_PER_INVARIANT}`).all()
  const found = db.query<Breach, []>(sql).all()
  return found.flatMap((row) => breach(row) ?? []).slice(0, MAX_FINDINGS_PER_INVARIANT)
}

function rulesOf(db: Database, findings: readonly Finding[]): CheckedRule[] {
  const counts = one(db.query<Record<Counted, number>, []>(COUNTS).get() ?? undefined)
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
                       (SELECT count(*) FROM entries) AS entries,
                       (SELECT count(*) FROM prices) AS prices, (SELECT count(*) FROM generations) AS images,
                       (SELECT count(*) FROM entries WHERE kind = 'charge') AS charges,
                       (SELECT count(*) FROM call_sums WHERE span_s = 86400) AS "daily sums",
                       (SELECT count(*) FROM call_sums WHERE span_s = 900) AS "quarter sums"`

function totalsOf(db: Database): Totals {
  const totals = totalQueries(db)
  const { accounts, ...money } = one(totals.accounts.get())
  return {
    accounts,
    ...one(totals.keys.get()),
    ...one(totals.calls.get()),
    ...one(totals.pendingHolds.get()),
    ...money,
    ...one(totals.entries.get()),
  }
}

function one<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('an aggregate query returned no row')
  return row
}
