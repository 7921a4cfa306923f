// `audit`, `backup` and `restore`: their checks, and files that they never overwrite.
import { Database } from 'bun:sqlite'
import { beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { takeLock } from '../../src/store/lock.ts'
import { createScene, sceneOfEachTest } from '../app/commands/scene.ts'

const scene = sceneOfEachTest(async (scene) => {
  await scene.run('account', 'create', 'anna')
  await scene.run('credit', 'anna', '5')
})

/** Changes a row without an entry in the ledger. */
function tamper(path: string): void {
  const db = new Database(path)
  db.run('UPDATE accounts SET balance_nanos = balance_nanos + 1')
  db.close()
}

const balance = async () => (await scene.json('account', 'show', 'anna')).balance_usd
const leftovers = () => readdirSync(scene.dir).filter((name) => /unfinished|incoming/.test(name))

describe('audit', () => {
  test('of a sound ledger: status 0, and the totals', async () => {
    const { status, out } = await scene.run('audit')
    expect(status).toBe(0)
    expect(out).toContain('Clean: every invariant holds.')
    expect(await scene.json('audit')).toMatchObject({
      clean: true,
      findings: [],
      totals: { accounts: 1, topped_up_nanos: 5_000_000_000, topped_up_usd: '5.00' },
    })
  })

  test('of a tampered ledger: status 1, and the finding', async () => {
    tamper(scene.path('tollgate.db'))
    const { status, out } = await scene.run('audit')
    expect(status).toBe(1)
    expect(out).toContain('account 1: is 5000000001, should be 5000000000.')
    expect(JSON.parse((await scene.run('audit', '--json')).out)).toMatchObject({
      clean: false,
      findings: [{ invariant: 'balance_is_sum_of_entries', subject: 'account 1' }],
    })
  })

  test('of a file without a row: status 1, and its path', async () => {
    await Bun.write(scene.path('files/1/stray.png'), 'x')
    const { status, out } = await scene.run('audit')
    expect(status).toBe(1)
    expect(out).toMatch(/^no row +- +1 {2}files\/1\/stray\.png$/m)
    expect(JSON.parse((await scene.run('audit', '--json')).out)).toMatchObject({
      clean: false,
      findings: [{ invariant: 'file_has_its_row' }],
      files: [{ problem: 'no row', path: 'files/1/stray.png', row: null, row_bytes: null, disk_bytes: 1 }],
    })
  })

  describe('of uploaded files', () => {
    const path = (name: string) => `files/1/0d4cf1bc-8f55-4ec8-9f0e-4f1e34f7f7a1_${name}.png`
    const NAMES = ['cut', 'gone', 'marked', 'x'.repeat(64)]
    beforeEach(async () => {
      const db = openDatabase(scene.path('tollgate.db'))
      for (const name of NAMES)
        db.run(
          `INSERT INTO files (key, account_id, name, state, mime, bytes, sha256, width, height, created_at_ms, missing_since_ms)
           VALUES (?, 1, ?, 'stored', 'image/png', 26214400, ?, 1, 1, 0, ?)`,
          [path(name), name, '0'.repeat(64), name === 'marked' ? 7 : null],
        )
      db.close()
      await Bun.write(scene.path(path('cut')), 'x')
    })
    const markOf = (name: string) => {
      const db = openDatabase(scene.path('tollgate.db'), { readonly: true })
      const row = db.query('SELECT missing_since_ms FROM files WHERE key = ?').get(path(name))
      db.close()
      return (row as { missing_since_ms: number | null }).missing_since_ms
    }

    test('names every missing file and every size that differs, in 80 columns', async () => {
      const { status, out } = await scene.run('audit')
      expect(status).toBe(1)
      const lines = out.split('\n')
      expect(lines.filter((line) => /^(?:missing|size) +\d/.test(line))).toHaveLength(4)
      const table_lines = lines.slice(lines.findIndex((line) => line.startsWith('PROBLEM')))
      expect(table_lines.filter((line) => line.length > 80)).toEqual([])
      expect(out).toMatch(/^size +26214400 +1 {2}files\/1\/0d4cf1bc/m)
      const { files } = JSON.parse((await scene.run('audit', '--json')).out)
      expect(files).toMatchObject([
        {
          problem: 'size',
          path: path('cut'),
          row: `file ${path('cut')}`,
          row_bytes: 26_214_400,
          disk_bytes: 1,
        },
        { problem: 'missing', path: path('gone'), disk_bytes: null, missing_since_ms: null },
        { problem: 'missing', path: path('marked'), disk_bytes: null, missing_since_ms: 7 },
        { problem: 'missing', path: path('x'.repeat(64)) },
      ])
      expect(markOf('marked')).toBe(7)
    })

    test('clears the mark of a missing file that is back', async () => {
      await Bun.write(scene.path(path('marked')), new Uint8Array(26_214_400))
      const { out } = await scene.run('audit')
      expect(out).toContain('Restored: 1 missing image.')
      expect(out).not.toContain(path('marked'))
      expect(markOf('marked')).toBeNull()
      expect((await scene.run('audit')).out).not.toContain('1 missing image')
    })
  })
})

describe('backup', () => {
  test('has the rows in the write-ahead log, which a copy of the file would miss', async () => {
    const server = openDatabase(scene.path('tollgate.db'))
    await scene.run('credit', 'anna', '2')
    expect((await scene.run('backup', '--database-only', scene.path('b.db'))).status).toBe(0)
    server.close()
    const copy = new Database(scene.path('b.db'), { readonly: true })
    expect(copy.query<{ b: number }, []>('SELECT balance_nanos AS b FROM accounts').get()?.b).toBe(
      7_000_000_000,
    )
    copy.close()
  })

  test('works while a writer is in the middle of a transaction', async () => {
    const server = openDatabase(scene.path('tollgate.db'))
    server.run('BEGIN IMMEDIATE')
    server.run("UPDATE accounts SET status = 'suspended'")
    expect(await scene.json('backup', '--database-only', scene.path('b.db'))).toMatchObject({
      accounts: 1,
      clean: true,
    })
    server.run('ROLLBACK')
    server.close()
  })

  test('can be read by its owner only', async () => {
    await scene.run('backup', '--database-only', scene.path('b.db'))
    expect(statSync(scene.path('b.db')).mode & 0o777).toBe(0o600)
  })

  test('never overwrites a file', async () => {
    writeFileSync(scene.path('b.db'), 'dear')
    const { status, err } = await scene.run('backup', '--database-only', scene.path('b.db'))
    expect([status, err]).toEqual([1, `error: File ${scene.path('b.db')} already exists: name another one.`])
    expect(readFileSync(scene.path('b.db'), 'utf8')).toBe('dear')
  })

  test('of a ledger that fails the audit fails, and leaves no copy', async () => {
    tamper(scene.path('tollgate.db'))
    const { status, err } = await scene.run('backup', '--database-only', scene.path('b.db'))
    expect(status).toBe(1)
    expect(err).toContain('does not pass the audit')
    expect(readdirSync(scene.dir)).not.toContain('b.db')
    expect(leftovers()).toEqual([])
  })
})

describe('restore', () => {
  beforeEach(async () => {
    await scene.run('backup', '--database-only', scene.path('b.db'))
    await scene.run('credit', 'anna', '2')
  })

  test('to an empty folder: the backup becomes the database', async () => {
    using fresh = createScene('nothing')
    expect((await fresh.run('restore', scene.path('b.db'))).status).toBe(0)
    expect((await fresh.json('account', 'show', 'anna')).balance_usd).toBe('5.00')
  })

  test('to a new folder: it and the database can be read by their owner only', async () => {
    const fresh = createScene('nothing')
    fresh.remove()
    expect((await fresh.run('restore', scene.path('b.db'))).status).toBe(0)
    const modes = [fresh.dir, fresh.path('tollgate.db')].map((path) => statSync(path).mode & 0o777)
    expect(modes).toEqual([0o700, 0o600])
    fresh.remove()
  })

  test('after an interrupted restore: its leftovers are removed', async () => {
    using fresh = createScene('nothing')
    writeFileSync(fresh.path('tollgate.db.incoming'), 'half')
    expect((await fresh.run('restore', scene.path('b.db'))).status).toBe(0)
    expect(readdirSync(fresh.dir).filter((name) => name.includes('incoming'))).toEqual([])
  })

  test('beside the write-ahead log of a deleted database: refused, since SQLite would replay it', async () => {
    using fresh = createScene('nothing')
    writeFileSync(fresh.path('tollgate.db-wal'), 'log')
    const { status, err } = await fresh.run('restore', scene.path('b.db'))
    expect(status).toBe(1)
    expect(err).toContain('it has tollgate.db-wal')
  })

  test('over a database: refused', async () => {
    const { status, err } = await scene.run('restore', scene.path('b.db'))
    expect([status, await balance()]).toEqual([1, '7.00'])
    expect(err).toContain('Restore into a new folder with --to')
  })

  test('while a gateway serves the folder: refused', async () => {
    const unlock = takeLock(scene.path('serve.lock'))
    const { status, err } = await scene.run('restore', scene.path('b.db'))
    unlock?.()
    expect([status, await balance()]).toEqual([1, '7.00'])
    expect(err).toContain('A gateway is serving')
  })

  test.each([
    [
      'is of a newer version',
      (path: string) => {
        const db = new Database(path)
        db.run('PRAGMA user_version = 999')
        db.close()
      },
      'A newer program wrote it',
    ],
    ['fails the audit', (path: string) => tamper(path), 'does not pass the audit'],
    [
      'is another kind of file',
      (path: string) => writeFileSync(path, 'x'.repeat(8_192)),
      'no backup of Tollgate',
    ],
    [
      'is truncated',
      (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 20_000)),
      'damaged',
    ],
    ['is empty', (path: string) => writeFileSync(path, ''), 'is not a backup of Tollgate'],
  ])('of a backup that %s: refused, and nothing changes', async (_, spoil, message) => {
    spoil(scene.path('b.db'))
    const { status, err } = await scene.run('restore', scene.path('b.db'), '--to', scene.path('new'))
    expect(err).toContain(message)
    expect([status, await balance()]).toEqual([1, '7.00'])
    expect(leftovers()).toEqual([])
  })
})
