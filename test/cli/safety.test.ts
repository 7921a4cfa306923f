// `audit`, `backup` and `restore`: what is proven, and what is never overwritten.
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { takeLock } from '../../src/db/lock.ts'
import { openDatabase } from '../../src/db/open.ts'
import { createWorld, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = createWorld()
  await world.run('account', 'create', 'anna')
  await world.run('credit', 'anna', '5')
})
afterEach(() => world.remove())

/** Changes a row behind the ledger's back. */
function tamper(path: string): void {
  const db = new Database(path)
  db.run('UPDATE accounts SET balance_nanos = balance_nanos + 1')
  db.close()
}

const balance = async () => (await world.json('account', 'show', 'anna')).balance_usd
const strays = () => readdirSync(world.dir).filter((name) => /unfinished|incoming/.test(name))

describe('audit', () => {
  test('of a sound ledger: status 0 and the totals', async () => {
    const { status, out } = await world.run('audit')
    expect(status).toBe(0)
    expect(out).toContain('Clean: every invariant holds.')
    expect(await world.json('audit')).toMatchObject({
      clean: true,
      findings: [],
      totals: { accounts: 1, topped_up_nanos: 5_000_000_000, topped_up_usd: '5.00' },
    })
  })

  test('of one that was tampered with: status 1, and what is wrong', async () => {
    tamper(world.path('tollgate.db'))
    const { status, out } = await world.run('audit')
    expect(status).toBe(1)
    expect(out).toContain('account 1: is 5000000001, should be 5000000000.')
    expect(JSON.parse((await world.run('audit', '--json')).out)).toMatchObject({
      clean: false,
      findings: [{ invariant: 'balance_is_sum_of_entries', subject: 'account 1' }],
    })
  })

  test('of images that have no row, or rows that have no image: status 1, and which', async () => {
    await Bun.write(world.path('files/1/stray.png'), 'x')
    const { status, out } = await world.run('audit')
    expect(status).toBe(1)
    expect(out).toContain('files/1/stray.png: is none, should be a row.')
    expect(JSON.parse((await world.run('audit', '--json')).out)).toMatchObject({
      clean: false,
      findings: [{ invariant: 'file_has_its_row' }],
    })
  })
})

describe('backup', () => {
  test('holds what is only in the write-ahead log yet, which a copy of the file would miss', async () => {
    const server = openDatabase(world.path('tollgate.db'))
    await world.run('credit', 'anna', '2')
    expect((await world.run('backup', world.path('b.db'))).status).toBe(0)
    server.close()
    const copy = new Database(world.path('b.db'), { readonly: true })
    expect(copy.query<{ b: number }, []>('SELECT balance_nanos AS b FROM accounts').get()?.b).toBe(
      7_000_000_000,
    )
    copy.close()
  })

  test('beside a writer that is in the middle of a transaction', async () => {
    const server = openDatabase(world.path('tollgate.db'))
    server.run('BEGIN IMMEDIATE')
    server.run("UPDATE accounts SET status = 'suspended'")
    expect(await world.json('backup', world.path('b.db'))).toMatchObject({ accounts: 1, clean: true })
    server.run('ROLLBACK')
    server.close()
  })

  test('never overwrites', async () => {
    writeFileSync(world.path('b.db'), 'dear')
    const { status, err } = await world.run('backup', world.path('b.db'))
    expect([status, err]).toEqual([
      1,
      `error: There is already a file ${world.path('b.db')}: name another one.`,
    ])
    expect(readFileSync(world.path('b.db'), 'utf8')).toBe('dear')
  })

  test('of a ledger that does not add up fails, and leaves no copy that looks good', async () => {
    tamper(world.path('tollgate.db'))
    const { status, err } = await world.run('backup', world.path('b.db'))
    expect(status).toBe(1)
    expect(err).toContain('does not pass the audit')
    expect(readdirSync(world.dir)).not.toContain('b.db')
    expect(strays()).toEqual([])
  })
})

describe('restore', () => {
  beforeEach(async () => {
    await world.run('backup', world.path('b.db'))
    await world.run('credit', 'anna', '2')
  })

  test('to an empty folder: the backup is the database', async () => {
    const fresh = createWorld('nothing')
    expect((await fresh.run('restore', world.path('b.db'))).status).toBe(0)
    expect((await fresh.json('account', 'show', 'anna')).balance_usd).toBe('5.00')
    fresh.remove()
  })

  test('after a restore that was cut short: what it left is no hindrance', async () => {
    const fresh = createWorld('nothing')
    writeFileSync(fresh.path('tollgate.db.incoming'), 'half')
    expect((await fresh.run('restore', world.path('b.db'))).status).toBe(0)
    expect(readdirSync(fresh.dir).filter((name) => name.includes('incoming'))).toEqual([])
    fresh.remove()
  })

  test('beside the write-ahead log of a database that is gone: refused, since SQLite would replay it', async () => {
    const fresh = createWorld('nothing')
    writeFileSync(fresh.path('tollgate.db-wal'), 'log')
    const { status, err } = await fresh.run('restore', world.path('b.db'))
    expect(status).toBe(1)
    expect(err).toContain('move it away first')
    fresh.remove()
  })

  test('over a database: refused without --force', async () => {
    const { status, err } = await world.run('restore', world.path('b.db'))
    expect([status, await balance()]).toEqual([1, '7.00'])
    expect(err).toContain('--force replaces it')
  })

  test('while a gateway serves the folder: refused, even with --force', async () => {
    const unlock = takeLock(world.path('serve.lock'))
    const { status, err } = await world.run('restore', world.path('b.db'), '--force')
    unlock?.()
    expect([status, await balance()]).toEqual([1, '7.00'])
    expect(err).toContain('A gateway is serving')
  })

  test.each([
    [
      'is of a newer program',
      (path: string) => {
        const db = new Database(path)
        db.run('PRAGMA user_version = 999')
        db.close()
      },
      'A newer program wrote it',
    ],
    ['does not add up', (path: string) => tamper(path), 'does not pass the audit'],
    [
      'is no database',
      (path: string) => writeFileSync(path, 'x'.repeat(8_192)),
      'not a database of Tollgate',
    ],
    [
      'is cut short',
      (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 20_000)),
      'damaged',
    ],
    ['is empty', (path: string) => writeFileSync(path, ''), 'is not a backup of Tollgate'],
  ])('of a backup that %s: refused, and nothing has changed', async (_, spoil, said) => {
    spoil(world.path('b.db'))
    const { status, err } = await world.run('restore', world.path('b.db'), '--force')
    expect(err).toContain(said)
    expect([status, await balance()]).toEqual([1, '7.00'])
    expect(strays()).toEqual([])
  })
})
