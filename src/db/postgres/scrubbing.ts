// What a server of PostgreSQL keeps of rows that were deleted or changed, and its removal as far as it can be asked for.
import type { Db } from '../db.ts'
import type { Scrubbing } from '../scrubbing.ts'
import { Connection } from './connection.ts'

/** It may take long, and waits for what keeps a table to itself. */
const SETTINGS = { statement_timeout: '0', lock_timeout: '60s' }

const REMAINS =
  'The PostgreSQL server may keep it in its files until their space is reused. Its write-ahead log, its replicas and backups made with ' +
  'its own tools still have it, until they expire.'

/** @param url as of `openPostgres` @param db over the same database */
export function serverScrubbing(url: string, db: Db): Scrubbing {
  /** Also of the statistics, which have samples of what was in the columns. */
  const scrub = async (tables: readonly string[]): Promise<void> => {
    const connection = await Connection.open(url, SETTINGS)
    try {
      // It takes no transaction around it.
      for (const table of tables)
        await connection.patiently(() => connection.ask(`VACUUM (ANALYZE) "${table}"`))
    } finally {
      await connection.close()
    }
  }
  return {
    remains: [REMAINS],
    scrub,
    async replace(table, text, values) {
      await db.begin((tx) => tx.rows(text, values))
      await scrub([table])
    },
    [Symbol.dispose]: () => {},
  }
}
