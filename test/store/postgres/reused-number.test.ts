// A crash of the server at a COMMIT: the number of a transaction that was lost is given to another one, and is not taken for it.
import { expect, test } from 'bun:test'
import { Connection } from '../../../src/store/engines/postgres/connection.ts'
import { openPostgres } from '../../../src/store/engines/postgres/open.ts'
import { isCommitted } from '../../../src/store/engines/postgres/transaction.ts'
import { eventually, untilDone } from '../../support/eventually.ts'
import { NATIVE } from '../../support/postgres-program.ts'
import { startPostgres } from '../../support/postgres-server.ts'

const INSERT = 'INSERT INTO gateways (version, started_at_ms) VALUES ($1, 0)'

/** A worker of the server may take the lost number before the next transaction does: then there is nothing to see. */
const MAX_CRASHES = 4

test.if(NATIVE !== undefined)(
  'a transaction that a crash lost was not carried out, whoever has its number by then',
  async () => {
    for (let crashes = 1; ; crashes++) {
      if (await losesAndReuses()) return
      expect(crashes).toBeLessThan(MAX_CRASHES)
    }
  },
  120_000,
)

/** @returns false where another one has the number */
async function losesAndReuses(): Promise<boolean> {
  await using server = await startPostgres(NATIVE ?? '')
  await untilDone('it answers', async () => (await openPostgres(server.url)).close())
  const lost = await Connection.open(server.url)
  // Its workers take numbers of transactions, too: one had the lost one's on a busy machine.
  await lost.ask('ALTER SYSTEM SET autovacuum = off')
  await lost.ask('SELECT pg_reload_conf()')
  await lost.ask('BEGIN')
  const [[id] = []] = (await lost.ask('SELECT pg_current_xact_id()::text')).rows
  const marked = lost.nextMark(String(id))
  await lost.ask(INSERT, ['lost'])
  server.crash()
  await eventually('its connection ends', () =>
    lost.ask('SELECT 1').then(
      () => false,
      () => true,
    ),
  )
  const reopen = () => Connection.open(server.url)
  await untilDone('it answers again', async () => (await reopen()).close())
  expect(await isCommitted(marked, reopen)).toBe(false)

  await using db = await openPostgres(server.url)
  let reused: unknown
  await db.begin(async (tx) => {
    await tx.rows("INSERT INTO gateways (version, started_at_ms) VALUES ('next', 0)")
    ;[{ reused }] = (await tx.rows<{ reused: string }>('SELECT pg_current_xact_id()::text AS reused')) as [
      { reused: string },
    ]
  })
  if (reused !== id) return false
  const [status] = await db.rows<{ status: string }>('SELECT pg_xact_status($id::text::xid8) AS status', {
    id: String(id),
  })
  expect(status?.status).toBe('committed')
  expect(await isCommitted(marked, reopen)).toBe(false)
  expect(await db.rows<{ version: string }>('SELECT version FROM gateways')).toEqual([{ version: 'next' }])
  return true
}
