// A database that is damaged below its rows: `audit` finds the damage and names the repair, which works; `doctor` finds missing files.
import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { closeSync, copyFileSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { createScene, type Scene, sceneOfEachTest } from './scene.ts'

const scene = sceneOfEachTest(async (scene) => {
  await scene.run('account', 'create', 'anna')
  await scene.run('credit', 'anna', '5')
  await scene.run('key', 'create', 'anna')
})

/** Overwrites an index with an empty leaf (https://sqlite.org/fileformat2.html#b_tree_pages): every query by it finds nothing. */
function emptyIndex(path: string, index: string): void {
  const db = new Database(path)
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  const found = db
    .query<{ rootpage: number; page_size: number }, [string]>(
      'SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size() WHERE name = ?',
    )
    .get(index)
  db.close()
  if (!found) throw new Error(`there is no ${index}`)
  const page = Buffer.alloc(found.page_size)
  page[0] = 0x0a
  page.writeUInt16BE(found.page_size, 5)
  const file = openSync(path, 'r+')
  writeSync(file, page, 0, page.length, (found.rootpage - 1) * found.page_size)
  closeSync(file)
}

const change = (sql: string) => {
  const db = new Database(scene.path('tollgate.db'))
  db.run(sql)
  db.close()
}

const indexes = (): string[] => {
  const db = openDatabase(scene.path('tollgate.db'), { readonly: true })
  const names = db
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name IN ('accounts', 'keys', 'entries') AND name NOT IN ('entries_by_request_key', 'entries_of_refunds', 'keys_by_person')",
    )
    .all()
    .map(({ name }) => name)
  db.close()
  return names
}

async function findings(of: Scene = scene): Promise<string[]> {
  const { status, out } = await of.run('audit', '--json')
  const report = JSON.parse(out)
  expect([status, report.clean]).toEqual([1, false])
  return report.findings.map(
    ({ invariant, expected, found }: Record<string, string>) => `${invariant}: ${expected}, ${found}`,
  )
}

describe('audit', () => {
  test('finds that both rules hold in an undamaged database', async () => {
    const { clean, rules } = await scene.json('audit')
    expect(clean).toBe(true)
    expect(rules.slice(0, 2)).toMatchObject([
      { invariant: 'database_is_whole', checked: 1, breaches: 0 },
      { invariant: 'database_is_complete', checked: 1, breaches: 0 },
    ])
  })

  test('finds every index that lost its entries', async () => {
    const names = indexes()
    expect(names.length).toBeGreaterThan(3)
    const whole = scene.path('whole.db')
    await scene.json('backup', '--database-only', whole)
    for (const name of names) {
      const path = scene.path(`${name}/tollgate.db`)
      mkdirSync(dirname(path))
      copyFileSync(whole, path)
      emptyIndex(path, name)
      const found = await findings(createScene('nothing', dirname(path)))
      const finding = expect.stringMatching(new RegExp(`^database_is_whole: whole, .*${name}`))
      expect([name, found]).toEqual([name, expect.arrayContaining([finding])])
    }
  })

  test('names the command that repairs the index', async () => {
    const [name = ''] = indexes()
    emptyIndex(scene.path('tollgate.db'), name)
    expect((await scene.run('audit')).out).toContain('`sqlite3 tollgate.db REINDEX`')
    change('REINDEX')
    expect((await scene.run('audit')).status).toBe(0)
    expect(await scene.json('account', 'show', 'anna')).toMatchObject({ balance_usd: '5.00' })
  })

  test('prints statements that recreate missing indexes as they were', async () => {
    const shapes = () => {
      using db = new Database(scene.path('tollgate.db'))
      return db
        .query<{ name: string; sql: string }, []>(
          "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name",
        )
        .all()
    }
    const before = shapes()
    for (const { name } of before) change(`DROP INDEX ${name}`)
    const { out } = await scene.run('audit')
    expect(out).toContain(`database: lacks index ${before[0]?.name}. `)
    expect(out).not.toContain('REINDEX')
    const commands = [...out.matchAll(/^ {2}sqlite3 tollgate\.db '(.+)'$/gm)].map(([, sql = '']) => sql)
    expect(commands).toHaveLength(before.length)
    for (const sql of commands) change(sql.replaceAll("'\\''", "'"))
    expect((await scene.run('audit')).status).toBe(0)
    const inOneLine = ({ name, sql }: { name: string; sql: string }) => [name, sql.replace(/\s+/g, ' ')]
    expect(shapes().map(inOneLine)).toEqual(before.map(inOneLine))
  })

  test.each([
    ['index', 'DROP INDEX', "type = 'index' AND sql IS NOT NULL"],
    ['trigger', 'DROP TRIGGER', "type = 'trigger'"],
  ])('finds a missing %s', async (_, drop, which) => {
    const db = new Database(scene.path('tollgate.db'))
    const all = db
      .query<{ type: string; name: string }, []>(`SELECT type, name FROM sqlite_schema WHERE ${which}`)
      .all()
    db.close()
    expect(all.length).toBeGreaterThan(1)
    const [{ type = '', name = '' } = {}] = all
    change(`${drop} ${name}`)
    expect(await findings()).toEqual([`database_is_complete: ${type} ${name}, nothing`])
    expect(await scene.refusal('backup', scene.path('all.tar.zst'))).toContain(`it lacks the ${type} ${name}`)
  })
})

describe('doctor', () => {
  const UUID = '0d4cf1bc-8f55-4ec8-9f0e-4f1e34f7f7a1'
  const UPLOAD = `files/1/${UUID}_cat.png`
  const stored = (
    missing = '',
  ) => `INSERT INTO files (key, account_id, name, state, mime, bytes, sha256, width, height, created_at_ms${missing && ', missing_since_ms'})
    VALUES ('${UPLOAD}', 1, 'cat', 'stored', 'image/png', 3, '${'0'.repeat(64)}', 1, 1, 0${missing})`
  const put = (text: string) => {
    mkdirSync(dirname(scene.path(UPLOAD)), { recursive: true })
    writeFileSync(scene.path(UPLOAD), text)
  }
  const runDoctor = async () => {
    const { status, out } = await scene.run('doctor', '--json')
    const { healthy, findings } = JSON.parse(out)
    return { status, healthy, ...findings.find(({ check }: { check: string }) => check === 'stored files') }
  }

  test('reports stored images as ok', async () => {
    change(stored())
    put('cat')
    expect(await runDoctor()).toMatchObject({ level: 'ok', found: 'none missing: images 1' })
  })

  test.each([
    ['a missing image', () => change(stored())],
    ['an image marked as missing', () => change(stored(', 1'))],
    [
      'a truncated image',
      () => {
        change(stored())
        put('c')
      },
    ],
  ])('fails for %s, and names it', async (_, spoil) => {
    spoil()
    expect(await runDoctor()).toMatchObject({
      status: 1,
      healthy: false,
      level: 'fail',
      found: `missing or truncated files: 1 (${UPLOAD})`,
      advice: expect.stringContaining('Put them back from a backup'),
    })
  })

  test('accepts a file without a row', async () => {
    put('cat')
    expect(await runDoctor()).toMatchObject({ level: 'ok' })
  })

  test.each([
    ['a missing database', () => rmSync(scene.path('tollgate.db'))],
    ['an unreadable database', () => writeFileSync(scene.path('tollgate.db'), 'no database'.padEnd(9_000))],
    ['a database of another version', () => change('PRAGMA user_version = 3')],
  ])('reports %s once', async (_, spoil) => {
    spoil()
    expect((await runDoctor()).check).toBeUndefined()
  })
})
