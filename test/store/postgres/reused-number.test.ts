// A crash of the server at a COMMIT: a lost transaction is not mistaken for a committed one, even if its number is used again.
import { expect, test } from 'bun:test'
import { Connection } from '../../../src/store/engines/postgres/connection.ts'
import { openPostgres } from '../../../src/store/engines/postgres/open.ts'
import { isCommitted } from '../../../src/store/engines/postgres/transaction.ts'
import { retryUntilDone } from '../../support/eventually.ts'
import { NATIVE } from '../../support/postgres-program.ts'
import { startPostgres } from '../../support/postgres-server.ts'

const INSERT = 'INSERT INTO gateways (version, started_at_ms) VALUES ($1, 0)'

test.if(NATIVE !== undefined)(
  'a transaction lost in a crash is reported as not committed, also after later ones',
  async () => {
    await using server = await startPostgres(NATIVE ?? '')
    await retryUntilDone('it answers', async () => (await openPostgres(server.url)).close())
    const lost = await Connection.open(server.url)
    await lost.ask('BEGIN')
    const marked = lost.nextMark()
    await lost.ask(INSERT, ['lost'])
    await server.crash()
    const reopen = () => Connection.open(server.url)
    await retryUntilDone('it answers again', async () => (await reopen()).close())
    expect(await isCommitted(marked, reopen)).toBe(false)

    await using db = await openPostgres(server.url)
    await db.begin((tx) => tx.rows("INSERT INTO gateways (version, started_at_ms) VALUES ('next', 0)"))
    expect(await isCommitted(marked, reopen)).toBe(false)
    expect(await db.rows<{ version: string }>('SELECT version FROM gateways')).toEqual([{ version: 'next' }])
  },
  120_000,
)
