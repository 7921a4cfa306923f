// What became of each hold: tests look at it as if its row stayed. Of one that was settled the row of its call says it.
import type { Database } from 'bun:sqlite'
import type { Hold } from '../../src/db/schema.ts'

export type HoldFate = Omit<Hold, 'state'> & { state: Hold['state'] | 'posted' | 'voided' }

/** All holds that there were, in the order of their ids. */
export const holdFates = (db: Database): HoldFate[] =>
  db
    .query<HoldFate, []>(
      `SELECT * FROM holds UNION ALL
       SELECT id, account_id, key_id, request_id, hold_nanos, iif(price = '' AND price_id IS NULL, 'voided', 'posted'),
              started_at_ms, started_at_ms FROM calls
       ORDER BY id`,
    )
    .all()
