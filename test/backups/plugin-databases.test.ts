// A plugin's own database in a backup: a snapshot of one moment, whatever is written meanwhile.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createScene, sceneOfFile } from '../app/commands/scene.ts'
import { temporary } from '../support/temporary.ts'

/** A program that moves 1 between two accounts forever, so fast that any plain copy has pages of several moments. */
const WRITER = `
  const { Database } = require('bun:sqlite')
  const db = new Database(process.argv[1])
  db.run('PRAGMA busy_timeout = 5000')
  db.run('PRAGMA journal_mode = ' + process.argv[2])
  db.run('PRAGMA synchronous = OFF')
  db.run('CREATE TABLE IF NOT EXISTS sums (name TEXT, amount INTEGER, filler TEXT)')
  for (let row = 0; row < 2000; row++) db.run("INSERT INTO sums VALUES (?, 100, ?)", [String(row), 'x'.repeat(500)])
  process.stdout.write('ready')
  const take = db.prepare('UPDATE sums SET amount = amount - 1 WHERE rowid = ?')
  const give = db.prepare('UPDATE sums SET amount = amount + 1 WHERE rowid = ?')
  const move = db.transaction((from, to) => { take.run(from); give.run(to) })
  process.stdin.on('end', () => process.exit(0)).resume()
  const some = () => {
    for (let times = 0; times < 50; times++)
      move.immediate(1 + Math.floor(Math.random() * 2000), 1 + Math.floor(Math.random() * 2000))
    setTimeout(some, 0)
  }
  some()
`

async function startWriter(path: string, mode: 'WAL' | 'DELETE') {
  const writer = Bun.spawn([process.execPath, '-e', WRITER, path, mode], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value } = await writer.stdout.getReader().read()
  expect(Buffer.from(value ?? []).toString()).toBe('ready')
  return {
    async [Symbol.asyncDispose]() {
      await writer.stdin.end()
      await writer.exited
    },
  }
}

const scene = sceneOfFile()
mkdirSync(scene.path('plugins/state'), { recursive: true })

/** Makes a backup, and restores it. @returns the restored folder, and the backup's messages */
async function restorePlugins(folder: string): Promise<{ plugins: string; err: string }> {
  const archive = join(folder, 'all.tar.zst')
  const { status, err } = await scene.run('backup', archive)
  expect([status, err]).toEqual([0, expect.any(String)])
  const there = createScene('nothing', join(folder, 'there'))
  mkdirSync(there.dir)
  expect((await there.run('restore', archive)).status).toBe(0)
  return { plugins: there.path('plugins'), err }
}

test.each(['WAL', 'DELETE'] as const)(
  'a database under writes, in mode %s, is whole and of one moment',
  async (mode) => {
    const path = scene.path(`plugins/state/${mode}.db`)
    await using _writer = await startWriter(path, mode)
    for (let round = 0; round < 2; round += 1) {
      using folder = temporary()
      const { plugins } = await restorePlugins(folder.path)
      const copy = join(plugins, 'state', `${mode}.db`)
      expect(readdirSync(join(plugins, 'state')).filter((name) => name.startsWith(`${mode}.db-`))).toEqual([])
      const db = new Database(copy, { readonly: true })
      expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
      expect(db.query('SELECT count(*) AS rows, sum(amount) AS total FROM sums').get()).toEqual({
        rows: 2_000,
        total: 200_000,
      })
      db.close()
    }
  },
)

test('rows keep their rowids, also in a table without a key of its own', async () => {
  const db = new Database(scene.path('plugins/numbers'))
  db.run(
    "CREATE TABLE words (word TEXT); INSERT INTO words (rowid, word) VALUES (1, 'a'), (7, 'b'), (90, 'c')",
  )
  db.run('PRAGMA user_version = 12')
  db.close()
  using folder = temporary()
  const { plugins } = await restorePlugins(folder.path)
  const copy = new Database(join(plugins, 'numbers'), { readonly: true })
  expect(copy.query('SELECT rowid AS id, word FROM words').values()).toEqual([
    [1, 'a'],
    [7, 'b'],
    [90, 'c'],
  ])
  expect(copy.query('PRAGMA user_version').get()).toEqual({ user_version: 12 })
  copy.close()
})

test('a file that only looks like a part of a database is packed unchanged', async () => {
  const texts: Record<string, string> = {
    'notes-wal': 'no log of any database',
    'SQLite format 3.txt': 'SQLite format 3, in words',
    'empty.db': '',
  }
  for (const [name, text] of Object.entries(texts)) writeFileSync(scene.path(`plugins/${name}`), text)
  using folder = temporary()
  const { plugins } = await restorePlugins(folder.path)
  for (const [name, text] of Object.entries(texts))
    expect([name, readFileSync(join(plugins, name), 'utf8')]).toEqual([name, text])
})

test('a database that SQLite cannot read is named, and the rest is in the backup', async () => {
  writeFileSync(
    scene.path('plugins/broken.db'),
    Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5_000, 1)]),
  )
  using folder = temporary()
  const { plugins, err } = await restorePlugins(folder.path)
  expect(err).toContain('because SQLite cannot read these plugin databases: plugins/broken.db (')
  expect(existsSync(join(plugins, 'broken.db'))).toBe(false)
  expect(existsSync(join(plugins, 'numbers'))).toBe(true)
})
