// The checks after a restart: the ledger on the disk, compared with everything acknowledged to callers before the crash.
import type { Database } from 'bun:sqlite'
import { audit } from '../../src/money/ledger/audit.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import type { Acknowledged } from './caller.ts'

/** The expired holds that the restarted server logged. */
interface Reported {
  holds: number
  possible_loss_nanos: number
}

export interface Evidence {
  book: Acknowledged
  /** Calls that reached the provider since the last check. */
  seen_by_provider: number
  reported: Reported
  /** A start was killed since the last check: the holds that it expired may not have been reported. */
  died_at_start: boolean
}

interface NewCall {
  request_id: string
  state: 'pending' | 'posted' | 'voided' | 'expired'
  amount_nanos: number
  cost_nanos: number | null
  outcome: string | null
}

/** Checks restarts one after another, over one folder. */
export class Checks {
  #checked_until_id = 0

  /** Returns all violations, in words. */
  async complaints(db: Database, evidence: Evidence): Promise<string[]> {
    const calls = this.#newCalls(db)
    return [
      ...(await auditClean(db)),
      ...holdsResolved(calls, evidence),
      ...chargesKept(calls, evidence.book),
      ...topUpsKept(db, evidence.book),
      ...refundsKept(db, evidence.book),
      ...balancesAddUp(db),
    ]
  }

  #newCalls(db: Database): Map<string, NewCall> {
    const rows = db
      .query<NewCall & { id: number }, [number]>(
        `SELECT id, request_id, state, amount_nanos, NULL AS cost_nanos, NULL AS outcome FROM holds WHERE id > ?1
         UNION ALL
         SELECT id, request_id, iif(outcome = 'failed', 'voided', 'posted'), hold_nanos, cost_nanos, outcome
           FROM calls WHERE id > ?1
         ORDER BY id`,
      )
      .all(this.#checked_until_id)
    this.#checked_until_id = rows.at(-1)?.id ?? this.#checked_until_id
    return new Map(rows.map((row) => [row.request_id, row]))
  }
}

async function auditClean(db: Database): Promise<string[]> {
  const { findings } = await audit(dbOver(db))
  return findings.map(
    ({ invariant, subject, expected, found }) =>
      `audit: ${invariant}, ${subject}: expected ${expected}, found ${found}`,
  )
}

function holdsResolved(calls: Map<string, NewCall>, evidence: Evidence): string[] {
  const { book, reported, seen_by_provider, died_at_start } = evidence
  const rows = [...calls.values()]
  const missing = [...book.holds].filter((id) => !calls.has(id))
  const expired = rows.filter(({ state }) => state === 'expired')
  const loss_nanos = expired.reduce((sum, { amount_nanos }) => sum + amount_nanos, 0)
  const all_reported = reported.holds === expired.length && reported.possible_loss_nanos === loss_nanos
  return [
    ...rows
      .filter(({ state }) => state === 'pending')
      .map(({ request_id }) => `hold of ${request_id} is pending`),
    // A kill may lose the record that a call was under way.
    ...(missing.length <= book.unanswered.count
      ? []
      : [`${missing.length} holds are missing, of ${book.unanswered.count} calls without an end`]),
    ...(rows.length + book.unanswered.count >= seen_by_provider
      ? []
      : [`${seen_by_provider} calls reached the provider on ${rows.length} holds`]),
    ...(expired.length <= book.unanswered.count
      ? []
      : [`${expired.length} holds expired of ${book.unanswered.count} calls without an end`]),
    ...(died_at_start || all_reported
      ? []
      : [`${expired.length} holds of ${loss_nanos} expired, reported: ${JSON.stringify(reported)}`]),
  ]
}

function chargesKept(calls: Map<string, NewCall>, { charges, failures, unanswered }: Acknowledged): string[] {
  const complaints: string[] = []
  for (const [request_id, cost_nanos] of charges) {
    const call = calls.get(request_id)
    if (call?.state !== 'posted' || call.cost_nanos !== cost_nanos || call.outcome !== 'completed')
      complaints.push(`the charge of ${cost_nanos} for ${request_id} is now ${JSON.stringify(call)}`)
  }
  for (const request_id of failures) {
    const call = calls.get(request_id)
    if (call?.state !== 'voided' || call.cost_nanos !== 0)
      complaints.push(`the failure of ${request_id} is now ${JSON.stringify(call)}`)
  }
  const unacknowledged = [...calls.values()].filter(
    ({ request_id, state }) => state === 'posted' && !charges.has(request_id),
  )
  const unacknowledged_nanos = unacknowledged.reduce((sum, { cost_nanos }) => sum + (cost_nanos ?? 0), 0)
  if (unacknowledged.length > unanswered.count || unacknowledged_nanos > unanswered.max_nanos)
    complaints.push(`charged, but not expected: ${JSON.stringify(unacknowledged)}`)
  return complaints
}

function topUpsKept(db: Database, { top_ups, unconfirmed_top_ups }: Acknowledged): string[] {
  const find = db.query<{ times: number; amount_nanos: number }, [string]>(
    `SELECT count(*) AS times, coalesce(sum(amount_nanos), 0) AS amount_nanos
     FROM entries WHERE kind = 'top_up' AND note = ?`,
  )
  const found = (note: string) => find.get(note) ?? { times: 0, amount_nanos: 0 }
  return [
    ...[...top_ups]
      .filter(([note, nanos]) => found(note).times !== 1 || found(note).amount_nanos !== nanos)
      .map(([note, nanos]) => `the top-up ${note} of ${nanos} is now ${JSON.stringify(found(note))}`),
    ...[...unconfirmed_top_ups.keys()]
      .filter((note) => found(note).times > 1)
      .map((note) => `the top-up ${note} was made twice`),
  ]
}

/** A confirmed refund exists once, and no charge is refunded in part. */
function refundsKept(db: Database, { refunds }: Acknowledged): string[] {
  const find = db.query<{ entries: number; left_nanos: number; cost_nanos: number }, [string]>(
    `SELECT (SELECT count(*) FROM entries WHERE kind = 'refund' AND call_id = calls.id) AS entries,
            cost_nanos - refunded_nanos AS left_nanos, cost_nanos
       FROM calls WHERE request_id = ?`,
  )
  return [...refunds].flatMap(([request_id, state]) => {
    const found = find.get(request_id)
    const is_whole = found?.entries === 1 && found.left_nanos === 0
    const is_none = found?.entries === 0 && found.left_nanos === found.cost_nanos
    return is_whole || (state === 'unknown' && is_none)
      ? []
      : [`the ${state} refund of ${request_id} is now ${JSON.stringify(found)}`]
  })
}

/** The audit compares balances with their entries; this compares them with the calls and the top-ups themselves. */
function balancesAddUp(db: Database): string[] {
  const sums = db
    .query<{ balance: number; held: number; debt: number; topped_up: number; cost: number }, []>(
      `SELECT sum(balance_nanos) AS balance, sum(held_nanos) AS held, sum(debt_nanos) AS debt,
              (SELECT sum(amount_nanos) FROM entries WHERE kind = 'top_up') AS topped_up,
              (SELECT coalesce(sum(cost_nanos - refunded_nanos), 0) FROM calls) AS cost
       FROM accounts`,
    )
    .get()
  const right = sums && sums.held === 0 && sums.debt === 0 && sums.balance === sums.topped_up - sums.cost
  return right ? [] : [`the sums are ${JSON.stringify(sums)}`]
}
