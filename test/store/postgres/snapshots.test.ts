// The oldest snapshot of a database on PostgreSQL: whose transactions count, how old theirs are, and what another user may see of them.
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

/** In a transaction of another session, which has carried out these. */
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
  test('none', async () => {
    expect(await snapshotsOn(db)).toEqual({ oldest: undefined, undated: undefined, hidden: 0 })
    expect(await checkSnapshots({ db })).toMatchObject([{ level: 'ok', found: 'none is open', advice: null }])
  })

  test('of a transaction that reads as of one moment, by its age', async () => {
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

  test.each<[what: string, statements: readonly string[], counts: boolean]>([
    ['one that has written', ['BEGIN', 'CREATE TEMPORARY TABLE one (id int)'], true],
    ['one that has only begun', ['BEGIN'], false],
    [
      'one between two statements of its own moments each',
      ['BEGIN', 'SELECT count(*) FROM tollgate.accounts'],
      false,
    ],
  ])('%s', async (_, statements, counts) => {
    await beside(statements, async (pid) => {
      expect((await snapshotsOn(db)).oldest?.name).toBe(counts ? pid : undefined)
    })
  })

  test('of another database: its rows are others', async () => {
    const other = await makeDatabase()
    await beside(READING, async () => expect((await snapshotsOn(db)).oldest).toBeUndefined(), other.url)
    await dropDatabase(other.name)
  })

  test('of another user: not seen, and said so, until it has the right', async () => {
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

test('where rows are in a file nothing is asked', async () => {
  expect(await checkSnapshots({ db: dbOver(memoryDatabase()) })).toEqual([])
})
