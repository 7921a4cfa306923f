// The oldest snapshot of a database on PostgreSQL: the transactions that count, their age, and those that another user may see.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { SQL } from 'bun'
import { checkSnapshots } from '../../../plugins/doctor/checks/snapshots.ts'
import { PostgresDb } from '../../../src/store/engines/postgres/db.ts'
import { snapshotsOn } from '../../../src/store/engines/postgres/snapshots.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../../support/empty-database.ts'
import { databaseOfFile, dropDatabase, hasPostgres, makeDatabase } from '../../support/postgres.ts'

setDefaultTimeout(30_000)

const { url, db } = await databaseOfFile()

/** Looks while another session is in a transaction that has carried out these statements. */
async function beside<T>(
  statements: readonly string[],
  look: (pid: string) => Promise<T>,
  at = url,
): Promise<T> {
  await using sql = new SQL({ url: at, max: 1, connection: { application_name: 'pg_dump' } })
  const session = await sql.reserve()
  try {
    const [row] = await session.unsafe('SELECT pg_backend_pid() AS pid')
    for (const statement of statements) await session.unsafe(statement).simple()
    return await look(String(row.pid))
  } finally {
    await session.unsafe('ROLLBACK').simple()
    await session.release()
  }
}

const READING = ['BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM tollgate.accounts']

describe.if(hasPostgres)('the oldest snapshot', () => {
  test('is undefined without a transaction', async () => {
    expect(await snapshotsOn(db)).toEqual({ oldest: undefined, undated: undefined, hidden: 0 })
    expect(await checkSnapshots({ db })).toMatchObject([{ level: 'ok', found: 'none is open', advice: null }])
  })

  test('is that of the oldest transaction that reads as of one moment', async () => {
    await beside(READING, async (pid) => {
      await Bun.sleep(50)
      const { oldest } = await snapshotsOn(db)
      expect(oldest).toEqual({
        kind: 'session',
        name: pid,
        user: 'tollgate',
        application: 'pg_dump',
        age_ms: expect.any(Number),
        transactions: expect.any(Number),
      })
      expect(oldest?.age_ms).toBeGreaterThanOrEqual(50)
      await beside(READING, async () => {
        expect((await snapshotsOn(db)).oldest?.name).toBe(pid)
      })
      expect(await checkSnapshots({ db })).toMatchObject([{ level: 'ok' }])
    })
  })

  test.each<[transaction: string, statements: readonly string[], counts: boolean]>([
    ['may be that of a transaction that has written', ['BEGIN', 'CREATE TEMPORARY TABLE one (id int)'], true],
    ['is not that of one that has only begun', ['BEGIN'], false],
    [
      'is not that of one between two statements that each read as of their own moment',
      ['BEGIN', 'SELECT count(*) FROM tollgate.accounts'],
      false,
    ],
  ])('%s', async (_, statements, counts) => {
    await beside(statements, async (pid) => {
      expect((await snapshotsOn(db)).oldest?.name).toBe(counts ? pid : undefined)
    })
  })

  test('is not that of a transaction in another database', async () => {
    const other = await makeDatabase()
    await beside(READING, async () => expect((await snapshotsOn(db)).oldest).toBeUndefined(), other.url)
    await dropDatabase(other.name)
  })

  test('of another user is reported as hidden, until the right to see it is granted', async () => {
    const role = `watcher_${process.pid}`
    await using sql = new SQL({ url, max: 1 })
    await sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'p'`)
    const there = new PostgresDb(Object.assign(new URL(url), { username: role, password: 'p' }).href, {
      readonly: true,
    })
    try {
      await beside(READING, async (pid) => {
        const unseen = await snapshotsOn(there)
        expect(unseen.oldest).toBeUndefined()
        expect(unseen.hidden).toBeGreaterThan(0)
        const [{ found } = { found: '' }] = await checkSnapshots({ db: there })
        expect(found).toMatch(
          /^none is open; \d+ sessions? of other users could not be inspected \(GRANT pg_read_all_stats\)$/,
        )
        await sql.unsafe(`GRANT pg_read_all_stats TO ${role}`)
        const { oldest, hidden } = await snapshotsOn(there)
        expect([oldest?.name, hidden]).toEqual([pid, 0])
      })
    } finally {
      await there.close()
      await sql.unsafe(`DROP ROLE ${role}`)
    }
  })
})

test('the check finds nothing to report for a database in a file', async () => {
  expect(await checkSnapshots({ db: dbOver(memoryDatabase()) })).toEqual([])
})
