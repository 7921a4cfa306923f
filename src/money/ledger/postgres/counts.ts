// Counts for call limits in PostgreSQL's tables: read and increased under the account's lock.
import type { Answer, Statement } from '../../../store/engines/postgres/connection.ts'
import { objectsOf } from '../../../store/engines/postgres/one-connection.ts'
import { jsonOf } from '../../../store/engines/postgres/values.ts'
import {
  type Counted,
  type CountedSecond,
  type Counts,
  isCountedAt,
  SCOPES,
  type Scope,
} from '../call-limits.ts'
import type { Operation } from '../operations.ts'

interface CountReader {
  /** In this order; none if no operation has a limit. */
  readonly statements: readonly Statement[]
  /** @param answers one for each statement @param counts receive the values */
  fill(counts: Counts, answers: readonly Answer[]): void
}

/** Reads the counts for the limits of the holds. */
export function countReader(operations: readonly Operation[]): CountReader {
  const { all, pending, seconds } = limitedParties(operations)
  const parts = [
    { parties: pending, text: PENDING, fill: fillPending },
    { parties: seconds, text: SECONDS, fill: fillSeconds },
  ].filter(({ parties }) => parties.size > 0)
  return {
    statements: parts.map(({ parties, text }) => ({ text, values: [jsonOf([...parties.values()])] })),
    fill(counts, answers) {
      for (const { scope, id } of all.values()) counts[scope].set(id, { pending: 0, seconds: [] })
      for (const [index, answer] of answers.entries()) parts[index]?.fill(counts, answer)
    },
  }
}

interface LimitedParty {
  scope: Scope
  id: number
  account_id: number
}

/** The accounts and keys with limits, each once. */
interface PartiesByLimit {
  all: Map<string, LimitedParty>
  /** Accounts and keys with a limit of concurrent calls. */
  pending: Map<string, LimitedParty>
  /** Accounts and keys with a limit of requests or tokens. */
  seconds: Map<string, LimitedParty>
}

function limitedParties(operations: readonly Operation[]): PartiesByLimit {
  const limited: PartiesByLimit = { all: new Map(), pending: new Map(), seconds: new Map() }
  for (const operation of operations) {
    if (operation.op !== 'hold' || !operation.limits) continue
    for (const scope of SCOPES) {
      const limit = operation.limits[scope]
      const { account_id, [`${scope}_id` as const]: id } = operation
      // An id that no row can have is left out.
      if (!limit || !Number.isSafeInteger(id) || !Number.isSafeInteger(account_id)) continue
      const name = `${scope} ${id}`
      const party = { scope, id, account_id }
      limited.all.set(name, party)
      if (limit.concurrent_calls !== undefined) limited.pending.set(name, party)
      if ((limit.requests_per_minute ?? limit.tokens_per_minute) !== undefined)
        limited.seconds.set(name, party)
    }
  }
  return limited
}

const REQUESTED_PARTIES =
  'json_to_recordset($1::text::json) AS requested (scope text, id bigint, account_id bigint)'

/** Searches a key's calls among its account's. A subquery for each party, so that no query plan reads the holds of others. */
const PENDING = `
  SELECT scope, id, (SELECT count(*) FROM holds
                      WHERE holds.account_id = requested.account_id AND state = 'pending'
                        AND (scope = 'account' OR holds.key_id = requested.id)) AS pending
    FROM ${REQUESTED_PARTIES}`

const SECONDS = `
  SELECT rates.scope, rates.id, at_s, requests, tokens FROM ${REQUESTED_PARTIES}
    JOIN rates ON rates.scope = requested.scope AND rates.id = requested.id
   ORDER BY at_s`

function fillPending(counts: Counts, answer: Answer): void {
  for (const { scope, id, pending } of objectsOf<Pick<Counted, 'pending'> & LimitedParty>(answer)) {
    const counted = counts[scope].get(id)
    if (counted) counted.pending = pending
  }
}

function fillSeconds(counts: Counts, answer: Answer): void {
  for (const { scope, id, ...second } of objectsOf<CountedSecond & LimitedParty>(answer))
    if (isCountedAt(second, counts.now_s)) counts[scope].get(id)?.seconds.push(second)
}

/** Adds the counts, and deletes expired ones of the same account or key. */
const ADD = `
  WITH added AS MATERIALIZED (
         SELECT * FROM json_to_recordset($1::text::json) AS added (scope text, id bigint, at_s bigint, requests bigint, tokens bigint)),
       gone AS (
         DELETE FROM rates USING added WHERE rates.scope = added.scope AND rates.id = added.id AND rates.at_s < added.at_s - 60)
  INSERT INTO rates (scope, id, at_s, requests, tokens) SELECT scope, id, at_s, requests, tokens FROM added
      ON CONFLICT (scope, id, at_s) DO UPDATE
     SET requests = rates.requests + excluded.requests, tokens = rates.tokens + excluded.tokens`

/** Returns the statement that adds a batch's counts; none if none exist. */
export const addCountsStatements = (counts: Counts | undefined): Statement[] =>
  counts && counts.added.size > 0 ? [{ text: ADD, values: [jsonOf([...counts.added.values()])] }] : []
