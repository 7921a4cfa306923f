// The audit: every invariant of the ledger checked over all of its rows, as of one moment.

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
export function audit(db: Db, onRule?: (done: number) => void): Promise<Audit> {
  return db.snapshot((then) => auditRows(then, onRule), LONG)
}

/** The same within a snapshot. */
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

/** Whether anything that came after a mark breaks a rule. @param values as of `valuesAbove` */
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

/** The rules with how many rows each was checked over. @param values of a mark: sums before its times are not counted */
export async function rulesOver(
  db: Db,
  findings: readonly Finding[],
  rows: Source,
  values: Values = {},
): Promise<CheckedRule[]> {
  const text = countsOf(rows)
  const [row] = await db.rows<Record<Counted, number>>(text, valuesIn(text, values))
  const counts = one(row)
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

/** @param kinds what entries come to, where that is known: all of them are read else */
export async function totalsWith(db: Db, kinds?: ReadonlyMap<string, Nanos>): Promise<Totals> {
  const totals = totalQueries(db)
  const { accounts, ...money } = one(await totals.accounts.get())
  return {
    accounts,
    ...one(await totals.keys.get()),
    ...one(await totals.calls.get()),
    ...one(await totals.pendingHolds.get()),
    ...money,
    ...(kinds ? totalsOfKinds(kinds) : one(await totals.entries.get())),
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

function one<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('an aggregate query returned no row')
  return row
}
