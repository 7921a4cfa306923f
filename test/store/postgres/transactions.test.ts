// Transactions on PostgreSQL: all or nothing, nested, again after deadlocks, beside each other; and refused writes.
import { describe, expect, test } from 'bun:test'
import { createAccount, listAccounts } from '../../../src/access/accounts.ts'
import type { Db, Statements } from '../../../src/store/db.ts'
import { openPostgres } from '../../../src/store/engines/postgres/open.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'

const add = (db: Db, name: string) => createAccount(db, { name, now_ms: 0 })
const names = async (db: Db) => (await listAccounts(db)).map(({ name }) => name).sort()
const setting = async (db: Statements, name: string) =>
  (await db.rows<{ value: string }>('SELECT current_setting($name) AS value', { name }))[0]?.value

const { url, db } = await databaseOfFile()

describe.if(hasPostgres)('a transaction', () => {
  const since = async (before: readonly string[]) =>
    (await names(db)).filter((name) => !before.includes(name))

  describe('leaves nothing', () => {
    const failing = (within: Db) =>
      within.begin(async (tx) => {
        await add(tx, 'nothing')
        throw new Error('stop')
      })
    const CASES: [string, (db: Db) => Promise<unknown>, string][] = [
      ['if its work throws', failing, 'stop'],
      ['if a nested one throws', (own) => own.begin((tx) => failing(tx)), 'stop'],
      [
        'if a statement fails',
        (own) =>
          own.begin(async (tx) => {
            await add(tx, 'nothing')
            await tx.rows('SELECT 1 / 0')
          }),
        'a value was refused (22012)',
      ],
      [
        'if a statement fails and the failure is caught',
        (own) =>
          own.begin(async (tx) => {
            await add(tx, 'nothing')
            await Promise.allSettled([tx.rows('SELECT 1 / 0')])
          }),
        'was caught',
      ],
      [
        'if its work throws and it is not durable',
        (own) =>
          own.begin(
            async (tx) => {
              await add(tx, 'nothing')
              throw new Error('stop')
            },
            { durable: false },
          ),
        'stop',
      ],
    ]
    test.each(CASES)('%s', async (_, work, message) => {
      const before = await names(db)
      await expect(work(db)).rejects.toThrow(message)
      expect(await since(before)).toEqual([])
      // Its connection stays usable.
      await db.begin(async (tx) => expect(await setting(tx, 'synchronous_commit')).toBe('on'))
    })
  })

  test('within another joins that one', async () => {
    const before = await names(db)
    await db.begin(async (tx) => {
      await tx.begin((inner) => add(inner, 'joined-1'))
      await tx.write((inner) => inner.rows("UPDATE accounts SET name = 'joined-2' WHERE name = 'joined-1'"))
      expect(await since(before)).toEqual([])
    })
    expect(await since(before)).toEqual(['joined-2'])
  })

  test('acts for the named actor, and by default for that of the database', async () => {
    const [ada, bob] = ['ada', 'bob'].map((request_id) => ({
      actor: { kind: 'system' as const },
      request_id,
      now_ms: 0,
    }))
    await using own = await openPostgres(url, { by: ada })
    await own.begin(async (tx) => {
      expect(tx.by).toBe(ada)
      await tx.begin((inner) => expect(inner.by).toBe(ada))
      await tx.begin((inner) => expect(inner.by).toBe(bob), { by: bob })
    })
  })

  test('waits for the disk, unless it need not be durable', async () => {
    const durable = (how?: { durable: boolean }) => db.begin((tx) => setting(tx, 'synchronous_commit'), how)
    expect(await durable()).toBe('on')
    expect(await durable({ durable: false })).toBe('off')
    expect(await durable()).toBe('on')
    expect(await db.write((within) => setting(within, 'synchronous_commit'), { durable: false })).toBe('off')
  })

  test('runs again after a deadlock with another one, so that both are done', async () => {
    for (const name of ['left', 'right']) await add(db, name)
    const touch = (tx: Db, name: string) =>
      tx.rows('UPDATE accounts SET created_at_ms = created_at_ms + 1 WHERE name = $name', { name })
    const both = Promise.withResolvers<void>()
    let started = 0
    let runs = 0
    const crossing = (first: string, then: string) =>
      db.begin(async (tx) => {
        runs += 1
        await touch(tx, first)
        started += 1
        if (started === 2) both.resolve()
        await both.promise
        await touch(tx, then)
      })
    await Promise.all([crossing('left', 'right'), crossing('right', 'left')])
    const rows = await db.rows("SELECT created_at_ms FROM accounts WHERE name IN ('left', 'right')")
    expect(rows).toEqual([{ created_at_ms: 2 }, { created_at_ms: 2 }])
    // One of them has run again, or on a busy server both.
    expect(runs).toBeGreaterThan(2)
  })

  test('is done even if there are more at once than connections', async () => {
    const before = await names(db)
    const many = Array.from({ length: 20 }, (_, at) => `many-${String(at).padStart(2, '0')}`)
    await Promise.all(many.map((name) => db.begin((tx) => add(tx, name))))
    expect(await since(before)).toEqual(many)
  })

  test('is refused if another one makes the same row at once', async () => {
    const ends = await Promise.allSettled(['once', 'once'].map((name) => db.begin((tx) => add(tx, name))))
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await names(db)).filter((name) => name === 'once')).toEqual(['once'])
  })

  test('is not visible in a snapshot from before it, and is beside that', async () => {
    await db.snapshot(async (then) => {
      const before = await names(then)
      await db.begin((tx) => add(tx, 'meanwhile'))
      expect(await names(then)).toEqual(before)
      expect(await names(db)).toContain('meanwhile')
    })
  })

  describe('nothing is written', () => {
    const insert = "INSERT INTO prices (sha256, json) VALUES ('\\x00', '{}')"
    const CASES: [string, (own: Db) => unknown][] = [
      ['past `write` and `begin`', (own) => own.rows(insert)],
      ['in a snapshot', (own) => own.snapshot((then) => then.rows(insert))],
      ['by a transaction in it', (own) => own.snapshot((then) => then.begin((tx) => add(tx, 'nothing')))],
    ]
    test.each(CASES)('%s', async (_, work) => {
      await expect((async () => await work(db))()).rejects.toMatchObject({
        trouble: 'read_only',
        code: '25006',
      })
    })

    test('by a database opened for reading', async () => {
      await using own = await openPostgres(url, { readonly: true })
      expect(() => own.begin((tx) => add(tx, 'nothing'))).toThrow('opened to be read')
      expect(await names(own)).toEqual(await names(db))
    })
  })

  test('under way ends before the database closes, and no later one begins', async () => {
    const own = await openPostgres(url)
    const writing = Array.from({ length: 6 }, (_, at) => own.begin((tx) => add(tx, `closing-${at}`)))
    await own.close()
    expect((await Promise.all(writing)).length).toBe(6)
    await expect(own.begin((tx) => add(tx, 'late'))).rejects.toThrow('closed')
    await expect((async () => await own.rows('SELECT 1'))()).rejects.toThrow('closed')
    expect(await names(db)).not.toContain('late')
  })

  test('that erases an account makes a new row of that account wait, and be refused', async () => {
    const { id } = await add(db, 'erased')
    const sign_in = (own: Db) =>
      own.write((within) =>
        within.rows("INSERT INTO people (account_id, name, created_at_ms) VALUES ($id, 'somebody', 0)", {
          id,
        }),
      )
    let waiting: Promise<unknown> | undefined
    await db.begin(async (tx) => {
      await tx.rows('INSERT INTO erased_accounts (account_id, erased_at_ms) VALUES ($id, 0)', { id })
      waiting = sign_in(db).then(
        () => 'written',
        (thrown: Error) => thrown.message,
      )
      await tx.rows('SELECT pg_sleep(0.05)')
    })
    expect(await waiting).toBe('the account is erased')
  })
})
