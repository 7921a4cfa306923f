// The audit from a mark: checks the rows above it, and adds their sums to the mark's. If anything does not fit, the whole audit decides.
import type { Nanos } from '../../domain/money.ts'
import { DAY_S } from '../../domain/ranges.ts'
import { type Db, LONG, type Values } from '../../store/db.ts'
import { type Audit, auditRows, hasBreach, rulesOver, totalsWith } from './audit.ts'
import { type AuditMark, hashOfRules } from './audit-mark.ts'
import {
  AFTER_ALL,
  accountsMatch,
  addSums,
  BEFORE_ALL,
  numberOf,
  type Place,
  type Sums,
  settledPlace,
} from './audited-sums.ts'
import { INVARIANTS } from './invariants.ts'
import { ABOVE } from './rows-above.ts'

export interface MarkedAudit extends Audit {
  /** The mark that it began at; undefined: it checked all rows. */
  from: AuditMark | undefined
  /** The mark for the next audit; undefined if this audit is not clean, or if no rows are old enough to skip. */
  next: AuditMark | undefined
}

/** Audits all rows like `audit`, and makes a mark for the next audit. */
export function auditAndMark(db: Db, now_ms: number, onRule?: (done: number) => void): Promise<MarkedAudit> {
  return db.snapshot(async (snapshot) => {
    const audit = await auditRows(snapshot, onRule)
    const next = audit.clean ? await nextMark(snapshot, NO_MARK, { now_ms, whole_at_ms: now_ms }) : undefined
    return { ...audit, from: undefined, next: next?.mark }
  }, LONG)
}

/** Checks the rows above a mark in one snapshot. @returns undefined if anything is wrong or does not fit the mark; the whole audit then reports it */
export const auditFrom = (db: Db, mark: AuditMark, now_ms: number): Promise<MarkedAudit | undefined> =>
  db.snapshot((snapshot) => auditAbove(snapshot, mark, now_ms), LONG)

const NO_MARK: Omit<AuditMark, 'rules' | 'whole_at_ms'> = {
  ...BEFORE_ALL,
  calls: 0,
  entries: 0,
  late: [],
  last_started_ms: 0,
  balance: [],
  owed: [],
  spent: [],
  owners: [],
  kinds: [],
}

async function auditAbove(db: Db, mark: AuditMark, now_ms: number): Promise<MarkedAudit | undefined> {
  const { calls, entries, late } = mark
  if (!Bun.deepEquals(await rowsBelow(db, mark), { calls, entries, late })) return undefined
  const values = await valuesAbove(db, mark)
  for (const invariant of INVARIANTS)
    if (!invariant.is_sum && (await hasBreach(db, invariant, values))) return undefined
  const next = await nextMark(db, mark, { now_ms, whole_at_ms: mark.whole_at_ms })
  if (!next) return undefined
  const rules = await rulesOver(db, [], ABOVE, values)
  const totals = await totalsWith(db, next.all.kinds)
  return { clean: true, rules, findings: [], totals, from: mark, next: next.mark }
}

type Below = Pick<AuditMark, 'calls' | 'entries' | 'late'>

const BELOW = `SELECT (SELECT count(*) FROM calls) - (SELECT count(*) FROM calls WHERE id > $call_id) AS calls,
    (SELECT count(*) FROM entries) - (SELECT count(*) FROM entries WHERE id > $entry_id) AS entries`
const LATE = `SELECT call_id, amount_nanos FROM entries
  WHERE id > $entry_id AND kind = 'charge' AND call_id <= $call_id ORDER BY id`

/** Counts the rows below a mark. These counts never change. */
async function rowsBelow(db: Db, { call_id, entry_id }: Place): Promise<Below> {
  const [row] = await db.rows<Omit<Below, 'late'>>(BELOW, { call_id, entry_id })
  if (!row) throw new Error('an aggregate query returned no row')
  const late = await db.rows<{ call_id: number; amount_nanos: Nanos }>(LATE, { call_id, entry_id })
  return { ...row, late: late.map(({ call_id, amount_nanos }) => [call_id, amount_nanos]) }
}

/** The earliest start of a call added or refunded since the mark, from its sum if it is missing. A call gets its id within a day of its start. */
const FIRST_STARTED = `SELECT coalesce(min(started_at_ms), $last_started_ms) AS id FROM (
    SELECT started_at_ms FROM ${ABOVE.refunded} AS calls UNION ALL
    SELECT start_s * 1000 FROM call_sums WHERE span_s = 900 AND start_s >= $day_before_s AND last_call_id > $call_id) AS changed`
const FIRST_CALL =
  'SELECT coalesce(min(first_call_id), $call_id) AS id FROM call_sums WHERE span_s = 900 AND start_s >= $quarter_s'

/** Returns the values for the rules' queries above a mark. Sums are compared from the earliest start of a call that was added or refunded. */
async function valuesAbove(db: Db, { call_id, entry_id, last_started_ms }: AuditMark): Promise<Values> {
  const place = { call_id, entry_id }
  const day_before_s = Math.floor(last_started_ms / 1_000) - DAY_S
  const first_ms = await numberOf(db, FIRST_STARTED, { ...place, last_started_ms, day_before_s })
  const since_s = Math.floor(Math.min(first_ms, last_started_ms) / 1_000)
  const quarter_s = since_s - (since_s % 900)
  const first_call_id = await numberOf(db, FIRST_CALL, { call_id, quarter_s })
  return {
    ...place,
    day_s: since_s - (since_s % DAY_S),
    quarter_s,
    quarter_ms: quarter_s * 1_000,
    first_call_id: Math.min(first_call_id, call_id + 1),
  }
}

const LAST_STARTED =
  'SELECT coalesce(max(started_at_ms), 0) AS id FROM calls WHERE id > $call_id AND id <= $last_call_id'

/** @returns undefined if the sum of an account or key differs from its rows */
async function nextMark(
  db: Db,
  last: typeof NO_MARK,
  { now_ms, whole_at_ms }: { now_ms: number; whole_at_ms: number },
): Promise<{ all: Sums; mark: AuditMark | undefined } | undefined> {
  const place = await settledPlace(db, last, now_ms)
  const settled = await addSums(db, sumsOf(last), last, place)
  const all = await addSums(db, settled, place, AFTER_ALL)
  if (!(await accountsMatch(db, all))) return undefined
  if (place.call_id === 0) return { all, mark: undefined }
  const started = { call_id: last.call_id, last_call_id: place.call_id }
  const last_started_ms = Math.max(last.last_started_ms, await numberOf(db, LAST_STARTED, started))
  return {
    all,
    mark: {
      rules: hashOfRules(),
      whole_at_ms,
      ...place,
      ...(await rowsBelow(db, place)),
      last_started_ms,
      balance: [...settled.balance],
      owed: [...settled.owed],
      spent: [...settled.spent],
      owners: [...settled.owners],
      kinds: [...settled.kinds],
    },
  }
}

const sumsOf = ({ balance, owed, spent, owners, kinds }: typeof NO_MARK): Sums => ({
  balance: new Map(balance),
  owed: new Map(owed),
  spent: new Map(spent),
  owners: new Map(owners),
  kinds: new Map(kinds),
})
