// Requests and tokens of the last minute, as several gateways count them together: what no batch of the ledger removes.
import type { Db } from '../db.ts'

/** A batch may have some of them locked, and removes those itself; neither waits for the other. */
const SWEEP = `DELETE FROM rates WHERE (scope, id, at_s) IN (
  SELECT scope, id, at_s FROM rates, (SELECT now_ms() / 1000 AS now_s) AS clock
   WHERE at_s NOT BETWEEN now_s - 60 AND now_s + 60
     FOR UPDATE OF rates SKIP LOCKED)`

/** Removes what counts no more. @throws StorageFailure */
export async function sweepCallRates(db: Db): Promise<void> {
  await db.write((db) => db.rows(SWEEP))
}
