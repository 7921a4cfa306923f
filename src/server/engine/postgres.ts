// The engine PostgreSQL: a database on a server, which several processes write.
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
