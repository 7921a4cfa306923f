// Requests and tokens of the last minute, as several gateways count them together: what is told of them, and what no batch of the ledger removes.
import type { Db } from '../../db.ts'

/** What counts against the limits of an account or a key now. */
export interface CallRates {
  requests: number
  tokens: number
  /** Calls under way. */
  pending: number
}

const OF_ONE = `
  SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(tokens), 0) AS tokens,
         (SELECT count(*) FROM holds
           WHERE state = 'pending' AND $id::bigint = CASE WHEN $scope = 'account' THEN account_id ELSE key_id END) AS pending
    FROM rates, (SELECT now_ms() / 1000 AS now_s) AS clock
   WHERE scope = $scope AND id = $id AND at_s BETWEEN now_s - 60 AND now_s + 60`

/** @throws StorageFailure */
export async function callRatesOf(db: Db, scope: 'account' | 'key', id: number): Promise<CallRates> {
  const [row] = await db.rows<CallRates>(OF_ONE, { scope, id })
  return row ?? { requests: 0, tokens: 0, pending: 0 }
}

/** A batch may have some of them locked, and removes those itself; neither waits for the other. */
const SWEEP = `DELETE FROM rates WHERE (scope, id, at_s) IN (
  SELECT scope, id, at_s FROM rates, (SELECT now_ms() / 1000 AS now_s) AS clock
   WHERE at_s NOT BETWEEN now_s - 60 AND now_s + 60
     FOR UPDATE OF rates SKIP LOCKED)`

/** Removes what counts no more. @throws StorageFailure */
export async function sweepCallRates(db: Db): Promise<void> {
  await db.write((db) => db.rows(SWEEP))
}
