// Owns the audit: every invariant of the ledger checked over all of its rows, as of one moment.
import type { Database } from 'bun:sqlite'
import type { Finding } from '../domain/finding.ts'
import type { Nanos } from '../domain/money.ts'
import { INVARIANTS } from './invariants.ts'

export interface Totals {
  accounts: number
  keys: number
  calls: number
  pending_holds: number
  balance_nanos: Nanos
  held_nanos: Nanos
  debt_nanos: Nanos
  /** All that was ever charged for calls, payments of debt included. */
  charged_nanos: Nanos
  topped_up_nanos: Nanos
  withdrawn_nanos: Nanos
}

export interface Audit {
  clean: boolean
  findings: Finding[]
  totals: Totals
}

/** A broken ledger may break in every row: a person needs the first ones only. */
const MAX_FINDINGS_PER_INVARIANT = 100

const TOTALS = `
  SELECT (SELECT count(*) FROM accounts) AS accounts,
         (SELECT count(*) FROM keys) AS keys,
         (SELECT count(*) FROM calls) AS calls,
         (SELECT count(*) FROM holds WHERE state = 'pending') AS pending_holds,
         (SELECT coalesce(sum(balance_nanos), 0) FROM accounts) AS balance_nanos,
         (SELECT coalesce(sum(held_nanos), 0) FROM accounts) AS held_nanos,
         (SELECT coalesce(sum(debt_nanos), 0) FROM accounts) AS debt_nanos,
         (SELECT coalesce(-sum(amount_nanos), 0) FROM entries WHERE kind IN ('charge', 'debt_payment')) AS charged_nanos,
         (SELECT coalesce(sum(amount_nanos), 0) FROM entries WHERE kind = 'top_up') AS topped_up_nanos,
         (SELECT coalesce(-sum(amount_nanos), 0) FROM entries WHERE kind = 'withdrawal') AS withdrawn_nanos`

/**
 * Checks every invariant. Reads one snapshot, so that it may run beside a server that writes; a connection that may
 * only read is enough.
 *
 * @param db a connection that is in no transaction
 * @returns at most 100 findings for each invariant; `clean` when there are none
 */
export function audit(db: Database): Audit {
  return db.transaction(() => {
    const findings = INVARIANTS.flatMap(({ name, meaning, sql }) =>
      db
        .query<Pick<Finding, 'subject' | 'expected' | 'found'>, []>(
          `${sql} LIMIT ${MAX_FINDINGS_PER_INVARIANT}`,
        )
        .all()
        .map((breach) => ({ invariant: name, meaning, ...breach })),
    )
    const totals = db.query<Totals, []>(TOTALS).get()
    if (!totals) throw new Error('the query for the totals gave no row')
    return { clean: findings.length === 0, findings, totals }
  })()
}
