// The engine PostgreSQL: a database on a server, which several processes write.
import type { Db } from '../../db/db.ts'
import { serverIntegrity } from '../../db/postgres/integrity.ts'
import { openPostgres } from '../../db/postgres/open.ts'
import { serverScrubbing } from '../../db/postgres/scrubbing.ts'
import type { Engine } from './engine.ts'
import { joinGateways } from './heartbeat.ts'

/** @param url as of `openPostgres` */
export const postgresEngine = (url: string): Engine => ({
  address: withoutPassword(url),
  is_shared: true,
  open: ({ access, by }) => openPostgres(url, { by, readonly: access === 'read' }),
  openLedger() {
    throw new Error('not yet')
  },
  openIntegrity: serverIntegrity,
  bytesOf: serverBytes,
  openScrubbing: (db) => serverScrubbing(url, db),
  async serve() {
    const db = await openPostgres(url)
    // Whether it can be written its statements tell.
    return { db, trouble: undefined, close: () => db.close() }
  },
  join: joinGateways,
})

function withoutPassword(url: string): string {
  const { host, pathname } = new URL(url)
  return `postgres://${host}${pathname}`
}

async function serverBytes(db: Db): Promise<number> {
  const [row] = await db.rows<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes')
  return row?.bytes ?? 0
}
