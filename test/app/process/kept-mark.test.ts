// The stored mark of an audit: the conditions under which an audit continues from it; and the audits at a gateway's start, over a real folder.
import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkBooks } from '../../../plugins/books/check.ts'
import { keepMark, markToBeginAt } from '../../../src/app/process/kept-mark.ts'
import { DAY_MS } from '../../../src/domain/ranges.ts'
import { type AuditMark, markRowOf } from '../../../src/money/ledger/audit-mark.ts'
import { auditAndMark, auditFrom } from '../../../src/money/ledger/marked-audit.ts'
import { keepAuditMark } from '../../../src/store/audit-marks.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { prepareDataFolder } from '../../support/data-folder.ts'
import { commandOf } from '../../support/programs.ts'
import { temporary } from '../../support/temporary.ts'
import { fillHistory } from '../../tools/bench/many-calls.ts'

const folder = await prepareDataFolder('')
fillHistory(folder.database_path, { calls: 60, accounts: 3, days: 2 })
const copies = temporary()
afterAll(() => {
  folder[Symbol.dispose]()
  copies[Symbol.dispose]()
})

let connection: Database
let copied = 0
beforeEach(() => {
  const path = copies.at(`${++copied}/tollgate.db`)
  mkdirSync(dirname(path))
  copyFileSync(folder.database_path, path)
  connection = openDatabase(path)
})
afterEach(() => connection.close())

const NOW_MS = Date.now()

async function storeMark(changed: Partial<AuditMark> = {}) {
  const db = dbOver(connection)
  const { next } = await auditAndMark(db, NOW_MS)
  if (!next) throw new Error('no mark was made')
  await keepAuditMark(db, markRowOf({ ...next, ...changed }))
  return { db, next }
}

describe('an audit continues from a mark', () => {
  test('as it was stored', async () => {
    const { db, next } = await storeMark()
    expect(await markToBeginAt(db, NOW_MS)).toEqual(next)
    expect(next.calls).toBeGreaterThan(50)
  })

  test('for a week', async () => {
    const { db } = await storeMark()
    expect(await markToBeginAt(db, NOW_MS + 7 * DAY_MS - 1)).toBeDefined()
  })

  test.each([
    ['after a week', '', 7 * DAY_MS],
    ['from the future, after the clock was set back', '', -1],
    ['that is missing', 'DELETE FROM audit_marks', 0],
    ['with another sum', `UPDATE audit_marks SET json = replace(json, '"calls":', '"calls":1')`, 0],
    ['with another hash', 'UPDATE audit_marks SET sha256 = zeroblob(32)', 0],
  ])('but not %s', async (_, sql, later_ms) => {
    const { db } = await storeMark()
    if (sql) connection.run(sql)
    expect(await markToBeginAt(db, NOW_MS + later_ms)).toBeUndefined()
  })

  test('but not with other rules', async () => {
    const { db } = await storeMark({ rules: 'of another version' })
    expect(await markToBeginAt(db, NOW_MS)).toBeUndefined()
  })
})

describe('a mark no longer fits', () => {
  test.each([
    [
      'without the calls before it, as in an older backup',
      'DELETE FROM calls WHERE id > 20; DELETE FROM entries WHERE call_id > 20',
    ],
    ['without one call before it', 'DELETE FROM calls WHERE id = 3'],
    [
      'with an added call before it',
      "INSERT INTO calls SELECT -1, request_id, account_id, key_id, surface, model, provider, upstream_model, outcome, status, streamed, estimated, input_tokens, input_audio_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, thinking_tokens, output_image_tokens, images, hold_nanos, 0, 0, price, started_at_ms, first_byte_ms, duration_ms, 1, 0, '', NULL, NULL, '', NULL, NULL, 0, NULL, 0, NULL FROM calls WHERE id = 3",
    ],
    ['without any row', 'DELETE FROM calls; DELETE FROM entries'],
    [
      'with another account of a key that only earlier calls used',
      'UPDATE keys SET account_id = 1 + account_id % 3 WHERE id = (SELECT key_id FROM calls WHERE id = 1)',
    ],
  ])('%s', async (_, sql) => {
    const { db, next } = await storeMark()
    connection.run('PRAGMA foreign_keys = OFF')
    for (const guard of ['entries_are_never_deleted']) connection.run(`DROP TRIGGER ${guard}`)
    connection.run(sql)
    expect(await auditFrom(db, next, NOW_MS)).toBeUndefined()
  })
})

describe('the doctor', () => {
  const CLEAN = /^all rows were checked on \d{4}-\d\d-\d\d; clean up to call \d+$/
  test.each([
    ['without a mark', 'DELETE FROM audit_marks', 0, []],
    ['with a mark', '', 0, [{ level: 'ok', found: expect.stringMatching(CLEAN) }]],
    ['with a mark 10 days old', '', 10 * DAY_MS, [{ level: 'warn', found: expect.stringMatching(CLEAN) }]],
    [
      'with a damaged mark',
      "UPDATE audit_marks SET json = '{}'",
      0,
      [{ level: 'warn', found: 'the mark of the last audit is damaged, or of another version' }],
    ],
  ])('%s', async (_, sql, later_ms, found) => {
    await storeMark()
    if (sql) connection.run(sql)
    const data_folder = dirname(connection.filename)
    const storage = { database: undefined, files: undefined }
    expect(await checkBooks({ data_folder, storage, now: () => NOW_MS + later_ms })).toMatchObject(found)
  })
})

describe('after an audit', () => {
  const write = (work: (db: ReturnType<typeof dbOver>) => Promise<void>) => work(dbOver(connection))

  test('with findings no mark is left', async () => {
    const { db } = await storeMark()
    await keepMark({ clean: false, next: undefined }, write)
    expect(await markToBeginAt(db, NOW_MS)).toBeUndefined()
  })

  test('with findings only in files the mark of the books is stored', async () => {
    const { db, next } = await storeMark()
    await keepMark({ clean: false, next: { ...next, calls: 1 } }, write)
    expect(await markToBeginAt(db, NOW_MS)).toMatchObject({ calls: 1 })
  })

  test('from a mark that another audit deleted meanwhile no mark is stored', async () => {
    const { db, next } = await storeMark()
    await keepMark({ clean: false, next: undefined }, write)
    await keepMark({ clean: true, from: next, next }, write)
    expect(await markToBeginAt(db, NOW_MS)).toBeUndefined()
    await keepMark({ clean: true, from: undefined, next }, write)
    expect(await markToBeginAt(db, NOW_MS)).toEqual(next)
  })

  test('of a read-only folder the last mark remains', async () => {
    const { db, next } = await storeMark()
    await keepMark({ clean: true, next: { ...next, calls: 1 } }, () => Promise.reject(new Error('read-only')))
    expect(await markToBeginAt(db, NOW_MS)).toEqual(next)
  })

  test('with findings a failure to delete the mark is thrown', async () => {
    const failing = keepMark({ clean: false, next: undefined }, () => Promise.reject(new Error('read-only')))
    expect(failing).rejects.toThrow('read-only')
  })
})

describe('the audits of a start', () => {
  async function runAudit(command = 'audit-at-start') {
    const ran = Bun.spawn([...commandOf('gateway'), command, '--json', '--data', folder.path], {
      stderr: 'pipe',
    })
    const [output, errors] = await Promise.all([ran.stdout.text(), ran.stderr.text()])
    await ran.exited
    return JSON.parse(output || errors)
  }

  test('check all rows, then only rows after the mark, and all rows again after findings', async () => {
    expect(await runAudit()).toMatchObject({ clean: true, from: null, totals: { calls: 60 } })
    const second = await runAudit()
    expect(second).toMatchObject({
      clean: true,
      from: { whole_at: expect.any(String) },
      totals: { calls: 60 },
    })
    const rules = Object.fromEntries(
      second.rules.map(({ invariant, checked }: { invariant: string; checked: number }) => [
        invariant,
        checked,
      ]),
    )
    expect(rules.call_key_belongs_to_account).toBe(60 - second.from.call_id)
    expect(rules).not.toHaveProperty('database_is_whole')
    // The wrong row is before the mark, so only the audit of all rows finds it.
    const db = new Database(folder.database_path)
    db.run("UPDATE calls SET surface = 'x', cost_nanos = cost_nanos + 1 WHERE id = 3")
    expect(await runAudit()).toMatchObject({ clean: true, from: { call_id: second.from.call_id } })
    expect(await runAudit('audit')).toMatchObject({ clean: false, from: null })
    expect(await runAudit()).toMatchObject({ clean: false, from: null })
    db.run('UPDATE calls SET cost_nanos = cost_nanos - 1 WHERE id = 3')
    expect(await runAudit()).toMatchObject({ clean: true, from: null })
    expect(await runAudit()).toMatchObject({ clean: true, from: { call_id: second.from.call_id } })
    db.close()
  }, 60_000)

  test('find a stray file each time, and still continue from the mark', async () => {
    expect(await runAudit('audit')).toMatchObject({ clean: true })
    const stray = join(folder.path, 'images/1/stray.png')
    mkdirSync(dirname(stray), { recursive: true })
    writeFileSync(stray, 'x')
    for (const _ of [1, 2])
      expect(await runAudit()).toMatchObject({
        clean: false,
        from: { call_id: expect.any(Number) },
        findings: [{ invariant: 'file_has_its_row' }],
      })
    rmSync(stray)
  }, 60_000)
})
