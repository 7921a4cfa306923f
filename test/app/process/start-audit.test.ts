// The audit at the start: its findings are logged, whether it runs at once or in a separate process.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sqliteEngine } from '../../../src/app/process/engine/sqlite.ts'
import { fileStoresOf } from '../../../src/app/process/files/stores.ts'
import { ownProgram } from '../../../src/app/process/own-process.ts'
import { auditAtStart } from '../../../src/app/process/start-audit.ts'
import { markRowOf } from '../../../src/money/ledger/audit-mark.ts'
import { auditAndMark } from '../../../src/money/ledger/marked-audit.ts'
import { keepAuditMark } from '../../../src/store/audit-marks.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import type { Gateway } from '../../../src/store/schema.ts'
import { type DataFolder, prepareDataFolder } from '../../support/data-folder.ts'
import { eventually } from '../../support/eventually.ts'
import { memoryLog } from '../../support/memory-log.ts'
import { fillHistory } from '../../tools/bench/many-calls.ts'

let folder: DataFolder
beforeAll(async () => {
  folder = await prepareDataFolder('')
})
afterAll(() => folder[Symbol.dispose]())

async function startAudit(
  max_rows_at_once: number,
  { path, database_path } = folder,
  data_folder = path,
  other: Partial<Parameters<typeof auditAtStart>[0]> = {},
) {
  const db = openDatabase(database_path)
  const log = memoryLog()
  const audit = await auditAtStart({
    db: dbOver(db),
    own_gateway: { id: 1, alive: [] },
    engine: sqliteEngine(path),
    files: fileStoresOf({ files: undefined }, path),
    data_folder,
    log: log.log,
    max_rows_at_once,
    ...other,
  })
  return { audit, db, log }
}

/** A separate process fails in this folder, which distinguishes it from an audit at once. */
const NOWHERE = '/does-not-exist'

/** With -1 even an empty ledger is audited in a separate process. */
describe.each([
  ['at once', 5_000],
  ['in a separate process', -1],
])('%s', (_, max_rows_at_once) => {
  test('correct books add nothing to the log', async () => {
    const { audit, db, log } = await startAudit(max_rows_at_once)
    await audit.ended
    audit.stop()
    expect(log.lines()).toEqual([])
    db.close()
  })

  test('wrong books are an error in the log', async () => {
    const { db: tampered } = await startAudit(5_000)
    tampered.run('UPDATE accounts SET balance_nanos = balance_nanos + 1')
    const { audit, db, log } = await startAudit(max_rows_at_once)
    await audit.ended
    audit.stop()
    tampered.run('UPDATE accounts SET balance_nanos = balance_nanos - 1')
    expect(log.lines()).toMatchObject([{ findings: [{ invariant: 'balance_is_sum_of_entries' }] }])
    db.close()
    tampered.close()
  })
})

test('an audit ended by a stop reports nothing', async () => {
  const { audit, db, log } = await startAudit(-1)
  audit.stop()
  await audit.ended
  expect(log.lines()).toEqual([])
  db.close()
})

test.each([
  [19, 'at once'],
  [20, 'in a separate process'],
])('%d settled calls without rows of holds are audited %s with a limit of 20 calls', async (calls, how) => {
  using folder = await prepareDataFolder('')
  fillHistory(folder.database_path, { calls, accounts: 1, days: 1 })
  // The limit of 21 rows includes the top-up, which is an entry, too.
  const { audit, db, log } = await startAudit(21, folder, NOWHERE)
  expect(db.query('SELECT count(*) FROM holds').values()).toEqual([[0]])
  await audit.ended
  audit.stop()
  expect(log.lines().map(({ message }) => message)).toEqual(
    how === 'at once' ? [] : ['the audit could not run: run `tollgate audit`'],
  )
  db.close()
})

test('the oldest of several gateways repeats the audit each day', async () => {
  const alive = [{ id: 1 }, { id: 2 }] as Gateway[]
  const of = (id: number) =>
    startAudit(5_000, folder, NOWHERE, { own_gateway: { id, alive }, again_every_ms: 20 })
  const [first, second] = [await of(2), await of(1)]
  await eventually('it ran twice', () => second.log.lines().length > 1)
  expect(first.log.lines()).toEqual([])
  for (const { audit, db } of [first, second]) {
    audit.stop()
    db.close()
  }
})

test('the daily audit repeats a finding of the audit at the start, although the call is before an older mark', async () => {
  using folder = await prepareDataFolder('')
  fillHistory(folder.database_path, { calls: 60, accounts: 1, days: 2 })
  const tampered = openDatabase(folder.database_path)
  const { next } = await auditAndMark(dbOver(tampered), Date.now())
  if (!next) throw new Error('no mark was made')
  await keepAuditMark(dbOver(tampered), markRowOf(next))
  tampered.run('UPDATE calls SET cost_nanos = cost_nanos + 1 WHERE id = 3')
  const { audit, db, log } = await startAudit(5_000, folder, folder.path, { again_every_ms: 100 })
  const findings = () => log.lines().map((line) => line.findings)
  await eventually('the daily audit has ended', () => findings().length > 1)
  audit.stop()
  expect(findings()[0]).toContainEqual(expect.objectContaining({ subject: 'call 3' }))
  expect(findings()[1]).toEqual(findings()[0])
  db.close()
  tampered.close()
}, 30_000)

test.each([
  ['at the start', -1],
  ['of the day', 5_000],
])(
  'an audit %s whose process cannot start is logged, and the gateway goes on',
  async (_, max_rows_at_once) => {
    const { command } = ownProgram
    ownProgram.command = ['/does-not-exist']
    try {
      const { audit, db, log } = await startAudit(max_rows_at_once, folder, folder.path, {
        again_every_ms: 20,
      })
      await eventually('it says so', () => log.lines().length > 0)
      audit.stop()
      expect(log.lines()[0]).toMatchObject({ message: 'the audit could not run: run `tollgate audit`' })
      expect(JSON.stringify(log.lines()[0])).toContain('ENOENT')
      db.close()
    } finally {
      ownProgram.command = command
    }
  },
)

test('an audit that cannot run is logged', async () => {
  const { audit, db, log } = await startAudit(-1, folder, NOWHERE)
  await audit.ended
  audit.stop()
  expect(JSON.stringify(log.lines())).toContain('could not run')
  db.close()
})
