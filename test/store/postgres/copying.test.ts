// Copies of all rows from one engine to the other: there and back they are the same, ids continue, and a failed copy leaves nothing.
import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { audit } from '../../../src/money/ledger/audit.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { type CopyResult, copyAll } from '../../../src/store/copying/copy-all.ts'
import { copiedTables } from '../../../src/store/copying/tables.ts'
import type { CopyTarget, CopyWriter, Row } from '../../../src/store/copying/target.ts'
import type { Db, Values } from '../../../src/store/db.ts'
import { postgresTarget } from '../../../src/store/engines/postgres/copy-target.ts'
import type { PostgresDb } from '../../../src/store/engines/postgres/db.ts'
import { openPostgres } from '../../../src/store/engines/postgres/open.ts'
import { snapshotsOn } from '../../../src/store/engines/postgres/snapshots.ts'
import { sqliteTarget } from '../../../src/store/engines/sqlite/copy-target.ts'
import { missingParts } from '../../../src/store/engines/sqlite/integrity.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { dbOver, openDb } from '../../../src/store/engines/sqlite/sqlite.ts'
import { recorded } from '../../money/ledger/recorded.ts'
import { hold } from '../../money/ledger/world.ts'
import { makeEmptyDatabase, memoryDatabase } from '../../support/empty-database.ts'
import { administrator, dropDatabase, hasPostgres, makeDatabase } from '../../support/postgres.ts'
import { putRows, randomRows } from '../../support/random-rows.ts'
import { SEED } from '../../support/seed.ts'
import { temporary } from '../../support/temporary.ts'

const MAX = Number.MAX_SAFE_INTEGER

test('the list has every table once, and each after those that it refers to', () => {
  const db = memoryDatabase()
  const there = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  const names = copiedTables().map(({ name }) => name)
  expect([...names].sort()).toEqual(there.map(({ name }) => name).sort())
  const referred = names.flatMap((name) =>
    db
      .query<{ table: string }, [string]>('SELECT "table" FROM pragma_foreign_key_list(?)')
      .all(name)
      .map(({ table }) => ({ name, table })),
  )
  expect(referred.length).toBeGreaterThan(20)
  for (const { name, table } of referred)
    expect(names.indexOf(table), `${name} to ${table}`).toBeLessThanOrEqual(names.indexOf(name))
})

/** All rows, by the names of their tables. */
async function rowsOf(db: Pick<Db, 'rows'>): Promise<Record<string, Row[]>> {
  const all = copiedTables().map(async ({ name, key }) => {
    const rows = await db.rows<Row>(`SELECT * FROM "${name}" ORDER BY ${key.join(', ')}`)
    return [name, rows.map((row) => ({ ...row }))] as const
  })
  return Object.fromEntries(await Promise.all(all))
}

/** Does some work with a database on PostgreSQL that has all tables and no rows. */
async function withPostgres<T>(work: (db: PostgresDb, url: string) => Promise<T>): Promise<T> {
  const { name, url } = await makeDatabase()
  try {
    await using db = await openPostgres(url)
    return await work(db, url)
  } finally {
    await dropDatabase(name)
  }
}

/** Copies a database to a new file of SQLite, and looks at that. */
async function back<T>(from: Db, look: (copy: Database, copied: CopyResult) => T): Promise<Awaited<T>> {
  using folder = temporary()
  const path = folder.at('copy.db')
  const copied = await copyAll(from, sqliteTarget(path))
  expect(readdirSync(folder.path)).toEqual(['copy.db'])
  const copy = openDatabase(path)
  try {
    return await look(copy, copied)
  } finally {
    copy.close()
  }
}

const filled = (seed: number, count: number): Database => {
  const db = memoryDatabase()
  putRows(db, randomRows(seed, count))
  return db
}

test('a copy from SQLite to SQLite has every row, and all parts of a database of this version', async () => {
  const from = dbOver(filled(SEED, 40))
  const expected = await rowsOf(from)
  await back(from, async (copy, { rows, changed }) => {
    expect(await rowsOf(dbOver(copy))).toEqual(expected)
    expect(rows).toEqual(
      Object.fromEntries(Object.entries(expected).map(([name, all]) => [name, all.length])),
    )
    expect(changed).toEqual([])
    expect(missingParts(copy)).toEqual([])
    expect(() => copy.run('DELETE FROM entries')).toThrow('append-only')
  })
})

describe.if(hasPostgres)('to PostgreSQL', () => {
  test('random rows come back unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 0, max: 25 }), async (seed, count) => {
        const from = dbOver(filled(seed, count))
        const expected = await rowsOf(from)
        await withPostgres(async (db) => {
          const { changed } = await copyAll(from, postgresTarget(db))
          expect(changed).toEqual([])
          expect(await rowsOf(db)).toEqual(expected)
          await back(db, async (copy) => expect(await rowsOf(dbOver(copy))).toEqual(expected))
        })
      }),
      { numRuns: 2 },
    )
  })

  test('a copy from a server keeps no snapshot while it is read back', async () => {
    await withPostgres(async (db) => {
      await copyAll(dbOver(filled(SEED, 3)), postgresTarget(db))
      using folder = temporary()
      const { fill } = sqliteTarget(folder.at('copy.db'))
      const seen = { written: new Set<boolean>(), read: new Set<boolean>() }
      const hasSnapshot = async () => (await snapshotsOn(db)).oldest !== undefined
      await copyAll(db, {
        fill: (work) =>
          fill((filling) =>
            work({
              ...filling,
              async insert(table, rows) {
                seen.written.add(await hasSnapshot())
                await filling.insert(table, rows)
              },
              async rows<Found>(text: string, values?: Values) {
                seen.read.add(await hasSnapshot())
                return await filling.rows<Found>(text, values)
              },
            }),
          ),
      })
      expect([[...seen.written], [...seen.read]]).toEqual([[true], [false]])
    })
  })

  test('a table with more rows than a page is copied, also one with a key of several columns', async () => {
    const from = memoryDatabase()
    from.run(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2500)
      INSERT INTO refusal_sums SELECT 60, n % 7, n / 3, n, 'code ' || n % 11, n FROM n`)
    from.run(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2500)
      INSERT INTO catalogues SELECT n * 3, CASE n % 500 WHEN 1 THEN hex(zeroblob(300000)) ELSE 'text' END, n, 'file', n % 2 FROM n`)
    const expected = await rowsOf(dbOver(from))
    await withPostgres(async (db) => {
      const progress: number[] = []
      await copyAll(dbOver(from), postgresTarget(db), (rows) => progress.push(rows))
      expect(progress.at(-1)).toBe(5_002)
      expect(progress.length).toBeGreaterThan(8)
      expect(await rowsOf(db)).toEqual(expected)
      await back(db, async (copy) => expect(await rowsOf(dbOver(copy))).toEqual(expected))
    })
  })

  test('right books stay right: the same totals, no finding, no call added to its sum twice', async () => {
    const from = await recorded([
      [1, 100, { model: 'one' }],
      [2, 200, { model: 'one', outcome: 'failed', status: 502 }],
      [3, 300, { model: 'two' }],
    ])
    // Each was recorded alone, so the trigger added it to the sums.
    expect(await from.rows('SELECT DISTINCT summed FROM calls')).toEqual([{ summed: 0 }])
    const expected = await audit(from)
    expect(expected).toMatchObject({ clean: true, totals: { calls: 3, charged_nanos: 600 } })
    await withPostgres(async (db) => {
      await copyAll(from, postgresTarget(db))
      expect(await audit(db)).toEqual(expected)
      await back(db, async (copy) => expect(await audit(dbOver(copy))).toEqual(expected))
    })
  })

  test('rows of an account with an interrupted erasure are copied', async () => {
    const from = memoryDatabase()
    from.run(`INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'a', 'active', 0, 0, 0, 0);
      INSERT INTO account_details VALUES (1, 1, 'Ada', 'ada@example.com', '', 0, '');
      INSERT INTO erased_accounts VALUES (1, 5)`)
    await withPostgres(async (db) => {
      const { rows } = await copyAll(dbOver(from), postgresTarget(db))
      expect(rows).toMatchObject({ account_details: 1, erased_accounts: 1 })
      const add = db.begin((tx) => tx.rows("INSERT INTO people VALUES (1, 1, 'x', NULL, NULL, NULL, 0)"))
      await expect(add).rejects.toThrow('the account is erased')
    })
  })

  describe('ids continue', () => {
    const next = (db: Db, table: string, rest: string) =>
      db.begin((tx) => tx.rows<{ id: number }>(`INSERT INTO ${table} ${rest} RETURNING id`))

    test('after the greatest that any row names, even one of a deleted row', async () => {
      const from = memoryDatabase()
      from.run(`INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (7, 'a', 'active', 0, 0, 0, 0);
        INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms)
          VALUES (1, 7, 'k', 'tg_', zeroblob(32), 0, 0, 0);
        INSERT INTO actions (id, created_at_ms, action, actor, session_id) VALUES (3, 0, 'x', 'operator', 41);
        INSERT INTO holds VALUES (5, 7, 1, 'r', 0, 'expired', 0, 0, 19, 0, NULL);
        INSERT INTO idempotency_keys (id, account_id, key, request_sha256, request_id, after_hold_id, created_at_ms)
          VALUES (2, 7, 'k', zeroblob(32), 'r', 90, 0)`)
      await withPostgres(async (db) => {
        await copyAll(dbOver(from), postgresTarget(db))
        const ids = [
          await next(
            db,
            'accounts',
            "(name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES ('b', 'active', 0, 0, 0, 0)",
          ),
          await next(db, 'actions', "(created_at_ms, action, actor) VALUES (0, 'x', 'operator')"),
          await next(
            db,
            'sessions',
            "(sha256, role, account_id, key_id, user_agent, created_at_ms, last_seen_at_ms, expires_at_ms) VALUES (decode(repeat('00', 32), 'hex'), 'key', 7, 1, '', 0, 0, 0)",
          ),
          await next(db, 'gateways', "(version, started_at_ms) VALUES ('1', 0)"),
          await next(
            db,
            'holds',
            "(account_id, key_id, request_id, amount_nanos, state, created_at_ms, expires_at_ms) VALUES (7, 1, 'r', 0, 'pending', 0, 0)",
          ),
          await next(db, 'alerts', "(rule, subject, sentence, raised_at_ms) VALUES ('disk', '', 'full', 0)"),
        ]
        expect(ids.flat()).toEqual([8, 4, 42, 20, 91, 1].map((id) => ({ id })))
      })
    })

    test('with a hold on SQLite after the last call of PostgreSQL', async () => {
      const from = await recorded([
        [1, 100, {}],
        [1, 100, {}],
      ])
      await withPostgres(async (db) => {
        await copyAll(from, postgresTarget(db))
        await back(db, (copy) => {
          const [outcome] = createWriter(copy).commit([hold(5)])
          expect(outcome).toMatchObject({ hold_id: 3 })
        })
      })
    })
  })

  test('a NUL in a text of a caller becomes �, and is reported', async () => {
    const from = memoryDatabase()
    putRows(from, randomRows(1, 3))
    from.run("UPDATE generations SET prompt = 'a' || char(0) || 'b' || char(0) WHERE id = 2")
    await withPostgres(async (db) => {
      const { changed } = await copyAll(dbOver(from), postgresTarget(db))
      expect(changed).toEqual(['generations.prompt of id 2'])
      expect(await db.rows('SELECT prompt FROM generations WHERE id = 2')).toEqual([
        { prompt: 'a\ufffdb\ufffd' },
      ])
    })
  })

  describe('a copy has the rows of one moment', () => {
    const ADD = "INSERT INTO catalogues (text, made_at_ms, made_by) VALUES ('later', 0, 'file')"

    test('from a file that is written meanwhile, and from such a server', async () => {
      using folder = temporary()
      makeEmptyDatabase(folder.at('from.db'))
      await using from = openDb(folder.at('from.db'))
      await from.write((within) => within.rows(ADD))
      const add = async (to: Db) => void (await to.write((within) => within.rows(ADD)))
      const whileCopied = async (source: Db, target: CopyTarget): Promise<CopyResult> => {
        const adding: Promise<void>[] = []
        const copied = await copyAll(source, target, () => {
          if (adding.length === 0) adding.push(add(source))
        })
        await Promise.all(adding)
        return copied
      }
      await withPostgres(async (db) => {
        expect((await whileCopied(from, postgresTarget(db))).rows.catalogues).toBe(1)
        expect((await whileCopied(db, sqliteTarget(folder.at('to.db')))).rows.catalogues).toBe(1)
        expect(await db.rows('SELECT 1 FROM catalogues')).toHaveLength(2)
      })
    })
  })

  describe('a target with rows is refused, and stays unchanged', () => {
    test.each([
      [
        'a database with the row of a gateway',
        "INSERT INTO gateways (version, started_at_ms) VALUES ('1', 0)",
        'it has gateways',
      ],
      [
        'a database with an account',
        "INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (9, 'b', 'active', 0, 0, 0, 0)",
        'it has accounts',
      ],
    ])('%s', async (_, sql, message) => {
      await withPostgres(async (db) => {
        await db.write((within) => within.rows(sql))
        const before = await rowsOf(db)
        await expect(copyAll(dbOver(filled(1, 3)), postgresTarget(db))).rejects.toMatchObject({
          kind: 'conflict',
          message: expect.stringContaining(message),
        })
        expect(await rowsOf(db)).toEqual(before)
      })
    })

    test('an existing file', async () => {
      using folder = temporary()
      await Bun.write(folder.at('copy.db'), 'mine')
      const copying = copyAll(dbOver(memoryDatabase()), sqliteTarget(folder.at('copy.db')))
      await expect(copying).rejects.toThrow('exists already: name another file')
      expect(await Bun.file(folder.at('copy.db')).text()).toBe('mine')
    })
  })

  describe('a copy that fails leaves nothing', () => {
    /** Copies to each engine, and looks at what is left. */
    const eachTarget = async (
      from: Db,
      expectRefusal: (copying: Promise<unknown>) => unknown,
      over: (target: CopyTarget) => CopyTarget = (target) => target,
    ) => {
      using folder = temporary()
      await expectRefusal(copyAll(from, over(sqliteTarget(folder.at('copy.db')))))
      expect(readdirSync(folder.path)).toEqual([])
      await withPostgres(async (db) => {
        const before = await rowsOf(db)
        await expectRefusal(copyAll(from, over(postgresTarget(db))))
        expect(await rowsOf(db)).toEqual(before)
        expect(before.accounts).toEqual([])
        // Its triggers do their work again.
        const add = db.begin(async (tx) => {
          await tx.rows("INSERT INTO prices (sha256, json) VALUES (decode(repeat('00', 32), 'hex'), '{}')")
          await tx.rows('DELETE FROM prices')
        })
        await expect(add).rejects.toThrow('append-only')
      })
    }

    test('of a source that cannot be read to its end', async () => {
      const from = dbOver(filled(1, 20))
      const rows: Db['rows'] = (text, values) => {
        if (text.includes('FROM "alerts"')) throw new Error('The source is gone.')
        return from.rows(text, values)
      }
      const failing: Db = { ...from, rows, snapshot: async (work) => await work(failing) } as Db
      await eachTarget(failing, (copying) => expect(copying).rejects.toThrow('The source is gone.'))
    })

    test('with a row that the constraints refuse: the error names its page', async () => {
      const from = filled(1, 20)
      from.run('PRAGMA ignore_check_constraints = ON')
      from.run('UPDATE files SET bytes = -1 WHERE id = 18')
      await eachTarget(dbOver(from), (copying) =>
        expect(copying).rejects.toThrow(
          /^files: a row from id 17 to id 20 is refused \(.*constraint.*\)\. Audit/,
        ),
      )
    })

    test('if a table reads back differently', async () => {
      const dropping = (filling: CopyWriter): CopyWriter => ({
        ...filling,
        insert: (table, rows) => filling.insert(table, table.name === 'catalogues' ? rows.slice(1) : rows),
      })
      await eachTarget(
        dbOver(filled(1, 5)),
        (copying) => expect(copying).rejects.toThrow('The table catalogues reads back with other rows'),
        (target) => ({ fill: (work) => target.fill((filling) => work(dropping(filling))) }),
      )
    })

    test('with a number that is not exact', async () => {
      const from = filled(1, 3)
      from.run(`UPDATE catalogues SET made_at_ms = ${MAX}0 WHERE version = 2`)
      await eachTarget(dbOver(from), (copying) =>
        expect(copying).rejects.toThrow('catalogues.made_at_ms of version 2 is no integer that is exact'),
      )
    })
  })

  test('after a connection is killed everything is copied again, once', async () => {
    const from = dbOver(filled(2, 30))
    const { sql } = await administrator()
    let inserts = 0
    const killing = (filling: CopyWriter): CopyWriter => ({
      ...filling,
      async insert(table, rows) {
        if (table.name === 'files') inserts += 1
        const [backend] = await filling.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid')
        if (table.name === 'files' && inserts === 1)
          await sql.unsafe('SELECT pg_terminate_backend($1, 5000)', [backend?.pid])
        await filling.insert(table, rows)
      },
    })
    await withPostgres(async (db) => {
      const target = postgresTarget(db)
      const { rows } = await copyAll(from, {
        fill: (work) => target.fill((filling) => work(killing(filling))),
      })
      // The first page, at which it was lost, and then both pages.
      expect(inserts).toBe(3)
      expect(rows.accounts).toBe(30)
      expect(await rowsOf(db)).toEqual(await rowsOf(from))
    })
  })
})
