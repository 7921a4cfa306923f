// The PostgreSQL engine: a database on a server, written by several processes.
import { openSharedLedger } from '../../../money/ledger/postgres/executor.ts'
import type { Db } from '../../../store/db.ts'
import { PostgresDb } from '../../../store/engines/postgres/db.ts'
import { serverIntegrity } from '../../../store/engines/postgres/integrity.ts'
import { LOCKS } from '../../../store/engines/postgres/lock-numbers.ts'
import { openPostgres } from '../../../store/engines/postgres/open.ts'
import { serverScrubbing } from '../../../store/engines/postgres/scrubbing.ts'
import { takeSessionLock } from '../../../store/engines/postgres/session-lock.ts'
import type { AboutDatabase, Engine } from './engine.ts'
import { joinGateways } from './heartbeat.ts'

/** Connections for reports, the console and sweeps; and as many again for writing. */
const MAX_OTHER_CONNECTIONS = 2
/** The operator's guide promises a 503 within this time. */
const MAX_CALL_ANSWER_MS = 5_000
/** Otherwise calls waiting for one account's lock could occupy all connections. */
const MAX_CALL_LOCK_WAIT_MS = 50

/** @param url as for `openPostgres` */
export const postgresEngine = (url: string): Engine => ({
  address: withoutPassword(url),
  is_shared: true,
  open: ({ access, by }) => openPostgres(url, { by, readonly: access === 'read' }),
  openLedger: async (options = {}) => openSharedLedger(url, options),
  openIntegrity: serverIntegrity,
  about,
  async writeSnapshot(path, goesWith) {
    const { copyToFile } = await import('../snapshot.ts')
    await using db = await openPostgres(url, { readonly: true })
    return await copyToFile(db, path, goesWith)
  },
  lockBackups: () => takeSessionLock(url, LOCKS.backup),
  lockAudits: () => takeSessionLock(url, LOCKS.audit),
  openScrubbing: (db) => serverScrubbing(url, db),
  async serve() {
    const db = await openPostgres(url, { max_connections: MAX_OTHER_CONNECTIONS })
    const call_db = new PostgresDb(url, {
      max_answer_ms: MAX_CALL_ANSWER_MS,
      max_lock_wait_ms: MAX_CALL_LOCK_WAIT_MS,
    })
    return {
      db,
      call_db,
      // Failing statements report whether it can be written.
      trouble: undefined,
      async close() {
        try {
          await call_db.close()
        } finally {
          await db.close()
        }
      },
    }
  },
  join: (db, options) => joinGateways(db, url, options),
})

function withoutPassword(url: string): string {
  const { host, pathname } = new URL(url)
  return `postgres://${host}${pathname}`
}

// Some builds append words to the version.
const ABOUT = `SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
  pg_database_size(current_database()) AS bytes`

async function about(db: Db): Promise<AboutDatabase> {
  const [{ version, bytes } = { version: '', bytes: 0 }] = await db.rows<{ version: string; bytes: number }>(
    ABOUT,
  )
  return { engine: `PostgreSQL ${version}`, bytes }
}
