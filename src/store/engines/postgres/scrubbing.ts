// Remains of deleted or changed rows on a PostgreSQL server, and their removal as far as a client can request it.
import type { Db } from '../../db.ts'
import type { Scrubbing } from '../sqlite/scrubbing.ts'
import { Connection, SCHEMA } from './connection.ts'

/** Scrubbing may take long, and waits for locks on whole tables. */
const SETTINGS = { statement_timeout: '0', lock_timeout: '60s' }

const REMAINS =
  'The PostgreSQL server may keep the erased data in its files until their space is reused. Its write-ahead log, its replicas and ' +
  'backups made with its own tools still have it until they expire.'

/** @param url as for `openPostgres` @param db over the same database */
export function serverScrubbing(url: string, db: Db): Scrubbing {
  const scrub = async (tables: readonly string[]): Promise<void> => {
    const connection = await Connection.open(url, SETTINGS)
    try {
      await connection.patiently(async () => {
        for (const table of tables) await clean(connection, table)
      })
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

const CLEAR = `SELECT pg_clear_attribute_stats(schemaname, tablename, attname, inherited)
  FROM pg_stats WHERE schemaname = $1 AND tablename = $2`

/** Cleans a table and its statistics, which contain samples of column values. */
async function clean(connection: Connection, table: string): Promise<void> {
  // VACUUM cannot run in a transaction.
  await connection.ask(`VACUUM (ANALYZE) "${table}"`)
  // ANALYZE leaves the statistics of an empty table unchanged. Since version 18 PostgreSQL can clear them.
  const { rows } = await connection.ask(
    `SELECT NOT EXISTS (SELECT 1 FROM "${table}") AND to_regproc('pg_clear_attribute_stats') IS NOT NULL`,
  )
  if (rows[0]?.[0] === 1) await connection.ask(CLEAR, [SCHEMA, table])
}
