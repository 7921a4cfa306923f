// Backups of a gateway with rows on PostgreSQL: ordinary archives, made one at a time, restored into empty databases.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isEldest } from '../../src/app/process/engine/own-gateway.ts'
import { postgresEngine } from '../../src/app/process/engine/postgres.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import type { PostgresDb } from '../../src/store/engines/postgres/db.ts'
import { LOCKS } from '../../src/store/engines/postgres/lock-numbers.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { takeSessionLock } from '../../src/store/engines/postgres/session-lock.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { createScene, type Scene } from '../app/commands/scene.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'
import { addUpload, backUp, uploadKey } from './support.ts'

const STORAGE = '\n[storage] # here\ndatabase = "env:DATABASE_URL"\n'

/** Writes a file where the row of an upload names it. */
function putFile(scene: Scene, name: string): void {
  mkdirSync(dirname(scene.path(uploadKey(name))), { recursive: true })
  writeFileSync(scene.path(uploadKey(name)), 'cat')
}

test.each([
  [[], true],
  [[{ id: 3 }], true],
  [[{ id: 3 }, { id: 4 }], true],
  [[{ id: 2 }, { id: 3 }], false],
])('among %j number 3 is the eldest: %p', (alive, expected) => {
  expect(isEldest({ id: 3, alive: alive as never })).toBe(expected)
})

describe.if(hasPostgres)('a gateway with [storage]', () => {
  let source: Awaited<ReturnType<typeof makeDatabase>>
  let scene: Scene
  let db: PostgresDb
  beforeAll(async () => {
    source = await makeDatabase()
    scene = createScene('nothing')
    writeFileSync(scene.path('tollgate.toml'), FIRST_CATALOGUE + STORAGE)
    scene.env = { DATABASE_URL: source.url }
    await scene.json('account', 'create', 'anna')
    db = await openPostgres(source.url)
    putFile(scene, 'cat')
    await addUpload(db, uploadKey('cat'), 'cat')
    await scene.json('backup', scene.path('a.tar.zst'))
    await scene.json('backup', '--database-only', scene.path('a.db'))
  })
  afterAll(async () => {
    await db.close()
    scene.remove()
    await dropDatabase(source.name)
  })

  test('an archive passes its drill, and has the rows as a file of SQLite', async () => {
    expect(await scene.json('backup', 'verify', scene.path('a.tar.zst'))).toMatchObject({
      accounts: 1,
      clean: true,
    })
    const copy = openDatabase(scene.path('a.db'), { readonly: true })
    expect(copy.query('SELECT name FROM accounts').values()).toEqual([['anna']])
    copy.close()
    expect(existsSync(scene.path('tollgate.db'))).toBeFalse()
  })

  test('the audit log has both backups', async () => {
    const { actions } = await scene.json('audit-log', '--area', 'system')
    expect(actions.filter(({ action }: { action: string }) => action === 'backup.created')).toHaveLength(2)
  })

  test('no backup is made while another gateway makes one', async () => {
    await using _other = await takeSessionLock(source.url, LOCKS.backup)
    expect(await scene.refusal('backup', scene.path('second.tar.zst'))).toBe(
      'error: Another backup of this database is running. Wait until it finishes.',
    )
    expect(existsSync(scene.path('second.tar.zst'))).toBeFalse()
  })

  test('a file deleted meanwhile leaves the copy, too', async () => {
    putFile(scene, 'dog')
    await addUpload(db, uploadKey('dog'), 'cat')
    const { result } = await backUp(scene.dir, {
      engine: postgresEngine(source.url),
      async meanwhile() {
        await db.write((within) =>
          within.rows('DELETE FROM files WHERE key = $key', { key: uploadKey('dog') }),
        )
        rmSync(scene.path(uploadKey('dog')))
      },
    })
    expect(result).toMatchObject({ deleted_meanwhile: [uploadKey('dog')], missing: [] })
  })

  describe('is restored', () => {
    let target: Awaited<ReturnType<typeof makeDatabase>>
    let other: Scene
    beforeEach(async () => {
      target = await makeDatabase('template0')
      other = createScene('nothing')
      other.env = { DATABASE_URL: target.url }
    })
    afterEach(async () => {
      other.remove()
      await dropDatabase(target.name)
    })
    const restore = (file: string) => other.run('restore', scene.path(file))
    const accountsOf = async (url: string) => {
      await using there = await openPostgres(url, { readonly: true })
      return (await there.rows<{ name: string }>('SELECT name FROM accounts')).map(({ name }) => name)
    }

    test.each(['archive', 'database'])('into an empty database, from its %s', async (what) => {
      writeFileSync(other.path('tollgate.toml'), STORAGE)
      const { status, out } = await restore(what === 'archive' ? 'a.tar.zst' : 'a.db')
      expect(status).toBe(0)
      expect(out).toContain('the database that [storage] names')
      expect(await accountsOf(target.url)).toEqual(['anna'])
      expect(existsSync(other.path('tollgate.db'))).toBeFalse()
      expect(existsSync(other.path(uploadKey('cat')))).toBe(what === 'archive')
      expect(await other.json('account', 'list')).toMatchObject({ accounts: [{ name: 'anna' }] })
      expect((await other.json('audit-log')).actions[0]).toMatchObject({ action: 'backup.restored' })
    })

    test('on a machine without a catalogue, into the database that the archive names', async () => {
      expect((await restore('a.tar.zst')).status).toBe(0)
      expect(await accountsOf(target.url)).toEqual(['anna'])
      expect(readFileSync(other.path('tollgate.toml'), 'utf8')).toBe(FIRST_CATALOGUE + STORAGE)
    })

    test('into a folder whose catalogue names no server, without the section of the archive', async () => {
      writeFileSync(other.path('tollgate.toml'), '[server]\nlisten = "127.0.0.1:0"\n')
      expect((await restore('a.tar.zst')).status).toBe(0)
      expect(existsSync(other.path('tollgate.db'))).toBeTrue()
      expect(readFileSync(other.path('tollgate.toml'), 'utf8').trimEnd()).toBe(FIRST_CATALOGUE.trimEnd())
      expect(await other.json('account', 'list')).toMatchObject({ accounts: [{ name: 'anna' }] })
      expect(await other.json('audit')).toMatchObject({ clean: true })
    })

    test('from a backup of a folder, into a server: the catalogue gets the section of this machine', async () => {
      const folder = createScene()
      await folder.json('account', 'create', 'bert')
      const archive = folder.path('b.tar.zst')
      await folder.json('backup', archive)
      writeFileSync(other.path('tollgate.toml'), STORAGE)
      expect((await other.run('restore', archive)).status).toBe(0)
      const text = readFileSync(other.path('tollgate.toml'), 'utf8')
      expect(text).toStartWith(readFileSync(folder.path('tollgate.toml'), 'utf8'))
      expect(text).toContain('[storage]\ndatabase = "env:DATABASE_URL"\n')
      expect(await accountsOf(target.url)).toEqual(['bert'])
      folder.remove()
    })

    test.each([
      ['with rows', () => source.url, /The database is not empty: it has accounts/],
      ['that does not exist', () => `${source.url}_no`, /has no database/],
      ['by an unset variable', () => '', /needs the environment variable DATABASE_URL/],
    ])('not into a database %s: nothing is changed', async (_, url, words) => {
      for (const has_catalogue of [true, false]) {
        if (has_catalogue) writeFileSync(other.path('tollgate.toml'), STORAGE)
        else rmSync(other.path('tollgate.toml'))
        other.env = { DATABASE_URL: url() }
        expect(await other.refusal('restore', scene.path('a.tar.zst'))).toMatch(words)
        for (const name of ['tollgate.db', 'files', '.restore'])
          expect(existsSync(join(other.dir, name))).toBeFalse()
        expect(existsSync(other.path('tollgate.toml'))).toBe(has_catalogue)
      }
      expect(await accountsOf(source.url)).toEqual(['anna'])
    })
  })

  test('a backup is restored into a folder whose catalogue is not TOML', async () => {
    const broken = createScene('nothing')
    appendFileSync(broken.path('tollgate.toml'), '[server')
    const folder = createScene()
    await folder.json('backup', folder.path('b.tar.zst'))
    expect((await broken.run('restore', folder.path('b.tar.zst'))).status).toBe(0)
    folder.remove()
    broken.remove()
  })
})
