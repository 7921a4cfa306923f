// The audit: checks every invariant of the ledger over all rows, as of one moment.

import type { CheckedRule, Finding } from '../../domain/finding.ts'
import type { Nanos } from '../../domain/money.ts'
import { type Db, LONG, type Values } from '../../store/db.ts'
import { type Breach, type Counted, INVARIANTS, type Invariant } from './invariants.ts'
import { totalQueries } from './queries.ts'
import { ALL, type Source } from './rows-above.ts'

export interface Totals {
  accounts: number
  keys: number
  calls: number
  pending_holds: number
  balance_nanos: Nanos
  held_nanos: Nanos
  debt_nanos: Nanos
  /** Everything ever charged for calls, including debt payments. */
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

/** An invariant may be broken in every row; the first findings are enough for a reader. */
const MAX_FINDINGS_PER_INVARIANT = 100

/**
 * Checks every invariant. It reads one snapshot, so it may run while a gateway serves. A read-only connection is enough.
 *
 * @param onRule called before each rule with the number of rules already checked
 * @returns at most 100 findings for each invariant; `clean` without any
 */
export function audit(db: Db, onRule?: (done: number) => void): Promise<Audit> {
  return db.snapshot((snapshot) => auditRows(snapshot, onRule), LONG)
}

/** Audits within a snapshot. */
export async function auditRows(db: Db, onRule: (done: number) => void = () => {}): Promise<Audit> {
  const findings: Finding[] = []
  for (const [done, invariant] of INVARIANTS.entries()) {
    onRule(done)
    const { name, meaning } = invariant
    for (const breach of await breachesOf(db, invariant))
      findings.push({ invariant: name, meaning, ...breach })
  }
  const [rules, totals] = [await rulesOver(db, findings, ALL), await totalsWith(db)]
  return { clean: findings.length === 0, rules, findings, totals }
}

async function breachesOf(db: Db, { sql, breach }: Invariant): Promise<Breach[]> {
  if (!breach) return await db.rows<Breach>(`${sql} LIMIT ${MAX_FINDINGS_PER_INVARIANT}`)
  const found = await db.rows<Breach>(sql)
  return found.flatMap((row) => breach(row) ?? []).slice(0, MAX_FINDINGS_PER_INVARIANT)
}

/** Whether any row above a mark breaks a rule. @param values as from `valuesAbove` */
export async function hasBreach(
  db: Db,
  { sql, above = sql, breach }: Invariant,
  values: Values,
): Promise<boolean> {
  const found = await db.rows<Breach>(breach ? above : `${above} LIMIT 1`, valuesIn(above, values))
  return breach ? found.some((row) => breach(row) !== undefined) : found.length > 0
}

const valuesIn = (text: string, values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => text.includes(`$${name}`)))

/** Returns the rules with the number of rows that each checked. @param values of a mark: sums before its times are not counted */
export async function rulesOver(
  db: Db,
  findings: readonly Finding[],
  rows: Source,
  values: Values = {},
): Promise<CheckedRule[]> {
  const text = countsOf(rows)
  const [row] = await db.rows<Record<Counted, number>>(text, valuesIn(text, values))
  const counts = requireRow(row)
  return INVARIANTS.map(({ name, meaning, over }) => ({
    invariant: name,
    meaning,
    over,
    checked: counts[over],
    breaches: findings.filter(({ invariant }) => invariant === name).length,
  }))
}

function countsOf({ calls, entries }: Source): string {
  const sums = (span_s: number, since: string) =>
    `(SELECT count(*) FROM call_sums WHERE span_s = ${span_s}${calls === ALL.calls ? '' : ` AND start_s >= ${since}`})`
  return `SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM keys) AS keys,
                 (SELECT count(*) FROM holds) AS holds, (SELECT count(*) FROM ${calls} AS calls) AS calls,
                 (SELECT count(*) FROM ${entries} AS entries) AS entries, (SELECT count(*) FROM budgets) AS budgets,
                 (SELECT count(*) FROM prices) AS prices, (SELECT count(*) FROM generations) AS images,
                 (SELECT count(*) FROM ${entries} AS entries WHERE kind = 'charge') AS charges,
                 ${sums(86_400, '$day_s')} AS "daily sums", ${sums(900, '$quarter_s')} AS "quarter sums"`
}

/** @param kinds the sums of entries by kind, if known; otherwise all entries are read */
export async function totalsWith(db: Db, kinds?: ReadonlyMap<string, Nanos>): Promise<Totals> {
  const totals = totalQueries(db)
  const { accounts, ...money } = requireRow(await totals.accounts.get())
  return {
    accounts,
    ...requireRow(await totals.keys.get()),
    ...requireRow(await totals.calls.get()),
    ...requireRow(await totals.pendingHolds.get()),
    ...money,
    ...(kinds ? totalsOfKinds(kinds) : requireRow(await totals.entries.get())),
  }
}

function totalsOfKinds(kinds: ReadonlyMap<string, Nanos>) {
  const of = (kind: string): Nanos => kinds.get(kind) ?? 0
  return {
    charged_nanos: 0 - of('charge') - of('debt_payment'),
    topped_up_nanos: of('top_up'),
    refunded_nanos: of('refund'),
    withdrawn_nanos: 0 - of('withdrawal'),
  }
}

function requireRow<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('an aggregate query returned no row')
  return row
}
