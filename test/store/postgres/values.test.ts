// Values on their way to PostgreSQL and back: the same as SQLite's, or refused; and no value in the message of a failure.
import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { eq } from 'drizzle-orm'
import { createAccount } from '../../../src/access/accounts.ts'
import { createKey } from '../../../src/access/keys.ts'
import type { Db } from '../../../src/store/db.ts'
import { failureOf } from '../../../src/store/engines/postgres/failure.ts'
import { statementOf, textOf } from '../../../src/store/engines/postgres/texts.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { accounts, keys } from '../../../src/store/schema.ts'
import { memoryDatabase } from '../../support/empty-database.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'

const MAX = Number.MAX_SAFE_INTEGER
const isNamed = (name: string) => eq(accounts.name, name)

describe('texts', () => {
  test.each([
    ['SELECT ?, ?', 'SELECT $1, $2'],
    [`SELECT '?', "?", '''?', ?`, `SELECT '?', "?", '''?', $1`],
    [
      'insert into "t" ("id", "a") values (null, ?), (null, null)',
      'insert into "t" ("id", "a") values (default, $1), (default, null)',
    ],
    ['insert into "t" ("a", "id") values (null, ?)', 'insert into "t" ("a", "id") values (null, $1)'],
    ['select coalesce(null, ?)', 'select coalesce(null, $1)'],
  ])('%s', (text, expected) => {
    expect(textOf(text)).toBe(expected)
  })

  test('names are numbered in their order, each once', () => {
    expect(statementOf("SELECT $b, $a, $b, '$c', '$argon2id$%'", { a: 1, b: null })).toEqual({
      text: "SELECT $1, $2, $1, '$c', '$argon2id$%'",
      values: [null, 1],
    })
  })

  test('a name without a value is refused', () => {
    expect(() => statementOf('SELECT $a', { b: 1 })).toThrow('No value is given for $a.')
  })
})

describe('failures', () => {
  const CASES: [string, string | undefined][] = [
    ['53100', 'full'],
    ['40P01', 'busy'],
    ['55P03', 'busy'],
    ['40001', 'busy'],
    ['57014', 'busy'],
    ['25006', 'read_only'],
    ['XX001', 'damaged'],
    ['53300', 'unreachable'],
    ['57P01', 'unreachable'],
    ['57P02', 'unreachable'],
    ['57P03', 'unreachable'],
    ['08006', 'unreachable'],
    ['58030', 'unreachable'],
    ['25P03', 'unreachable'],
    ['28P01', 'unreachable'],
    ['3D000', 'unreachable'],
    ['ERR_POSTGRES_CONNECTION_CLOSED', 'unreachable'],
    ['ERR_POSTGRES_CONNECTION_REFUSED', 'unreachable'],
    ['23505', undefined],
    ['23514', undefined],
    ['42601', undefined],
    ['25P02', undefined],
    ['P0001', undefined],
  ]
  test.each(CASES)('%s is %p', (code, trouble) => {
    const thrown = failureOf(
      new SQL.PostgresError('m', { code, errno: code, detail: '', hint: '', severity: 'ERROR' }),
    )
    expect(thrown).toMatchObject({
      name: trouble ? 'StorageFailure' : 'StatementError',
      code,
      ...(trouble && { trouble }),
    })
  })
})

const { db } = await databaseOfFile()

describe.if(hasPostgres)('values', () => {
  const sqlite = dbOver(memoryDatabase())
  const both = async <T>(read: (own: Db) => T): Promise<Awaited<T>> => {
    const [there, here] = [await read(db), await read(sqlite)]
    expect(there).toEqual(here)
    return here
  }

  test.each<[string, string | number | Uint8Array | null, string]>([
    ['the greatest exact integer', MAX, 'BIGINT'],
    ['the least', -MAX, 'BIGINT'],
    ['zero', 0, 'BIGINT'],
    ['a number that is null', null, 'BIGINT'],
    ['an empty text', '', 'TEXT'],
    ['a text of all kinds of letters', 'a"\'\\ü€𝄞\n', 'TEXT'],
    ['a text of digits', '007', 'TEXT'],
    ['a text that is null', null, 'TEXT'],
  ])('%s comes back unchanged', async (_, value, type) => {
    expect(await both((own) => own.rows(`SELECT CAST($value AS ${type}) AS value`, { value }))).toEqual([
      { value },
    ])
  })

  test('in rows of a table bytes are a Buffer, JSON is parsed, and null stays null', async () => {
    const issuing = { randomBytes: (length: number) => new Uint8Array(length).fill(7), now_ms: MAX }
    const row = await both(async (own) => {
      await createAccount(own, { name: 'ada', now_ms: MAX })
      await createKey(own, 'ada', { name: 'k', models: ['sim-*'] }, issuing)
      return await own.orm.select().from(keys).all()
    })
    expect(row[0]).toMatchObject({ models: ['sim-*'], spend_limit_nanos: null, created_at_ms: MAX })
    expect(row[0]?.sha256).toBeInstanceOf(Buffer)
  })

  test('a true condition is 1, sums and counts are numbers, a mean has its fraction', async () => {
    const rows = await both((own) =>
      own.rows(
        `SELECT 1 = 1 AS yes, 1 = 2 AS no, sum(n) AS sum, count(*) AS count, avg(n) AS mean
         FROM (SELECT CAST(1 AS BIGINT) AS n UNION ALL SELECT 2) AS numbers`,
      ),
    )
    expect(rows).toEqual([{ yes: 1, no: 0, sum: 3, count: 2, mean: 1.5 }])
  })

  test('a missing row is undefined', async () => {
    expect(
      await both((own) => own.orm.select().from(accounts).where(isNamed('nobody')).get()),
    ).toBeUndefined()
  })

  test('a NUL in a text, which PostgreSQL does not store, becomes �, and a search for it finds nothing', async () => {
    expect(await db.rows('SELECT $text::text AS text', { text: 'a\0b\0' })).toEqual([
      { text: 'a\ufffdb\ufffd' },
    ])
    expect(await both((own) => own.orm.select().from(accounts).where(isNamed('ada\0')).all())).toEqual([])
  })

  describe('are refused', () => {
    const write = (text: string, values: Record<string, string | number | Uint8Array | null>) =>
      db.write((within) => within.rows(text, values))
    const account = `INSERT INTO accounts (name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms)
      VALUES ($name, $status, $balance, 0, 0, 0)`
    const good = { name: 'bob', status: 'active', balance: 0 }

    test.each<[string, Record<string, string | number | Uint8Array | null>, string]>([
      ['a text in place of a number', { ...good, balance: 'secret' }, '22P02'],
      ['a fraction in place of an integer', { ...good, balance: 1.5 }, '22P02'],
      ['a negative amount', { ...good, balance: -1 }, '23514'],
      ['an unknown value of a column', { ...good, status: 'secret' }, '23514'],
      ['an empty name', { ...good, name: '' }, '23514'],
      ['a name that exists', { ...good, name: 'ada' }, '23505'],
      ['a null in a required column', { ...good, name: null }, '23502'],
    ])('%s, without a value in the message', async (_, values, code) => {
      const failure: Error & { code?: string } = await write(account, values).then(
        () => new Error('written'),
        (thrown) => thrown,
      )
      expect(failure).toMatchObject({ name: 'StatementError', code })
      expect(Bun.inspect(failure)).not.toMatch(/secret|bob|ada/)
    })

    test.each([
      ['an integer that is not exact', 2 ** 53],
      ['a value that is not a number', Number.NaN],
      ['an infinite number', Number.POSITIVE_INFINITY],
    ])('%s, before it is sent', async (_, balance) => {
      await expect(write(account, { ...good, balance })).rejects.toThrow(/exact|cannot be stored/)
    })

    test('an inexact integer that comes back', async () => {
      await expect(db.rows('SELECT 9007199254740993')).rejects.toThrow('exact')
    })

    test('a wrong parameter of Drizzle, without the parameter in the message', async () => {
      const failing = db.orm
        .select()
        .from(accounts)
        .where(eq(accounts.id, 'secret' as unknown as number))
        .all()
      const failure: Error = await Promise.resolve(failing).then(
        () => new Error('read'),
        (thrown) => thrown,
      )
      expect(failure).toMatchObject({ name: 'StatementError', code: '22P02' })
      expect(Bun.inspect(failure)).not.toContain('secret')
    })
  })
})
