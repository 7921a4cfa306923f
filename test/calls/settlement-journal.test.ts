// The journal of settlements: those that a stop could not write are written by the next start, once.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSettlementJournal } from '../../src/calls/settling/journal.ts'
import type { UnwrittenSettlement } from '../../src/calls/settling/queue.ts'
import { internal, overloaded } from '../../src/domain/errors.ts'
import { audit } from '../../src/money/ledger/audit.ts'
import { openLedger } from '../../src/money/ledger/ledger.ts'
import type { Ledger, Operation, PostOperation } from '../../src/money/ledger/operations.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { dbOver, openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { closing } from '../../src/utilities/at-end.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { eventually } from '../support/eventually.ts'
import { expireHoldsOfDeadGateway, holdOutcomes } from '../support/holds.ts'
import { type MemoryLog, memoryLog } from '../support/memory-log.ts'
import { ANSWER_NANOS, answer, ask, piece, streamPath } from '../support/native.ts'
import { restarts } from '../support/restarts.ts'
import { mayMount, mountSmallDisk } from '../support/small-disk.ts'
import { startUpstream, stream } from '../support/upstream.ts'
import { MAX_BUSY_WAIT_MS, takeWriteLock } from '../support/write-lock.ts'

let folder: string
let memory: MemoryLog

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-journal-'))
  memory = memoryLog()
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const settlementOf = (hold_id: number): UnwrittenSettlement => ({
  operation: { op: 'post', hold_id, cost_nanos: 5, call: { started_at_ms: 0 }, now_ms: 0 } as PostOperation,
  fields: { request_id: `req_${hold_id}`, hold_id, cost_usd: '0.000000005' },
})
const HOLD = { account_id: 1, key_id: 1, amount_nanos: 7, created_at_ms: 0, expires_at_ms: 0 }
/** The same with its hold, whose row may be missing, too. */
const wholeOf = (hold_id: number): UnwrittenSettlement => ({
  ...settlementOf(hold_id),
  hold: { ...HOLD, request_id: `req_${hold_id}` },
})
const holdOf = (id: number, request_id = `req_${id}`) => ({ id, request_id })

/** Tables with these holds, and a recorded call of request 8. */
const tablesWith = (...holds: ReturnType<typeof holdOf>[]) => ({
  hasHold: async (id: number, request_id: string) =>
    holds.some((hold) => hold.id === id && hold.request_id === request_id),
  isRecorded: async (request_id: string) => request_id === 'req_8',
})

/** A ledger that refuses the lost holds of account 2 and accepts everything else, or throws. */
function ledgerThat(thrown?: Error) {
  const submitted: (number | string)[] = []
  const submit = async (operation: Operation) => {
    if (thrown) throw thrown
    const lost = 'lost' in operation ? operation.lost : undefined
    if (lost) submitted.push(`lost ${lost.request_id}`)
    else if ('hold_id' in operation) submitted.push(operation.hold_id)
    return lost?.account_id === 2
      ? { ok: false, refusal: 'no_such_account' }
      : { ok: true, charged_nanos: 5, unpaid_nanos: 0 }
  }
  return { ledger: { submit: submit as Ledger['submit'] }, submitted }
}

const journal = (path = folder) => openSettlementJournal(path, memory.log)
const path = () => join(folder, 'settlements.journal')
const messages = () => memory.lines().map(({ message }) => message)

describe.each(['with its reserve', 'without a reserve'])('a journal %s', (reserve) => {
  beforeEach(() => {
    if (reserve === 'with its reserve') journal().reserve()
  })

  test('is applied by the next start, in order, and removed', async () => {
    journal().keep([settlementOf(1), settlementOf(2)])
    journal().keep([settlementOf(3)])
    const { ledger, submitted } = ledgerThat()
    await journal().apply(ledger, tablesWith(holdOf(1), holdOf(2), holdOf(3)))
    expect([submitted, existsSync(path())]).toEqual([[1, 2, 3], false])
    await journal().apply(ledger, tablesWith(holdOf(1)))
    expect(submitted).toHaveLength(3)
  })

  test('skips a settlement that was written after all, and one whose hold id belongs to another request', async () => {
    journal().keep([settlementOf(1), settlementOf(2), settlementOf(3)])
    const { ledger, submitted } = ledgerThat()
    await journal().apply(ledger, tablesWith(holdOf(2, 'req_of_a_restored_database'), holdOf(3)))
    expect(submitted).toEqual([3])
    expect(messages()).toEqual([
      'a settlement of the journal was written before',
      'a settlement of the journal was written before',
      'a settlement of the journal was written',
    ])
  })

  test('settles a hold whose row was never written, unless its call is recorded, and never another hold of the same id', async () => {
    journal().keep([wholeOf(1), wholeOf(2), wholeOf(3), wholeOf(8)])
    const { ledger, submitted } = ledgerThat()
    await journal().apply(ledger, tablesWith(holdOf(1, 'req_of_another_call'), holdOf(3)))
    expect(submitted).toEqual(['lost req_1', 'lost req_2', 3])
    expect(messages().at(-1)).toBe('a settlement of the journal was written before')
  })

  test('reports a hold whose account no longer exists', async () => {
    const { hold, ...settlement } = wholeOf(1)
    journal().keep([{ ...settlement, hold: hold && { ...hold, account_id: 2 } }])
    const { ledger, submitted } = ledgerThat()
    await journal().apply(ledger, tablesWith())
    expect(submitted).toEqual(['lost req_1'])
    expect(memory.lines().at(-1)).toMatchObject({ level: 'error', refusal: 'no_such_account' })
  })

  test('reports a torn last line, and skips it', async () => {
    journal().keep([settlementOf(1)])
    journal().keep([settlementOf(2)])
    const text = readFileSync(path()).toString().replaceAll('\0', '')
    rmSync(path())
    appendFileSync(path(), text.slice(0, -10))
    const { ledger, submitted } = ledgerThat()
    await journal().apply(ledger, tablesWith(holdOf(1), holdOf(2)))
    expect(submitted).toEqual([1])
    expect(memory.lines().find(({ level }) => level === 'error')).toMatchObject({
      line: 3,
      message: 'a line of the journal of settlements is torn: it is skipped',
    })
  })

  test('applies the lines that are kept after a torn one', async () => {
    journal().keep([settlementOf(1)])
    const text = readFileSync(path()).toString().replaceAll('\0', '')
    rmSync(path())
    appendFileSync(path(), text.slice(0, -10))
    journal().keep([settlementOf(2), settlementOf(3)])
    const { ledger, submitted } = ledgerThat()
    await journal().apply(ledger, tablesWith(holdOf(1), holdOf(2), holdOf(3)))
    expect(submitted).toEqual([2, 3])
  })

  test('stays while the ledger cannot commit', async () => {
    journal().keep([settlementOf(1)])
    const { ledger } = ledgerThat(overloaded('The gateway cannot record calls at the moment.'))
    await expect(journal().apply(ledger, tablesWith(holdOf(1)))).rejects.toThrow('cannot record')
    expect(existsSync(path())).toBe(true)
  })

  test('reports in full a settlement that the ledger refuses for its content, and does not stop the start', async () => {
    journal().keep([settlementOf(1)])
    const { ledger } = ledgerThat(internal('The gateway failed to record this call.'))
    await journal().apply(ledger, tablesWith(holdOf(1)))
    expect(memory.lines().at(-1)).toMatchObject({
      level: 'error',
      message: 'a settlement of the journal cannot be written',
      operation: { hold_id: 1, cost_nanos: 5 },
    })
    expect(existsSync(path())).toBe(false)
  })
})

test.skipIf(!mayMount)('the reserve leaves room for a journal on a full disk', async () => {
  using disk = mountSmallDisk()
  journal(disk.path).reserve()
  await disk.fill()
  const all = Array.from({ length: 1_000 }, (_, index) => settlementOf(index + 1))
  journal(disk.path).keep(all.slice(0, 500))
  journal(disk.path).keep(all.slice(500))
  const { ledger, submitted } = ledgerThat()
  await journal(disk.path).apply(ledger, tablesWith(...all.map(({ operation }) => holdOf(operation.hold_id))))
  expect(submitted).toHaveLength(1_000)
  // With room again, the next start reserves anew.
  disk.free()
  journal(disk.path).reserve()
  expect(statSync(join(disk.path, 'settlements.reserve')).size).toBe(1024 * 1024)
})

async function expireAll(database_path: string): Promise<void> {
  await using db = openDb(database_path)
  const ledger = openLedger({ path: database_path })
  await expireHoldsOfDeadGateway(db, ledger)
  await ledger.close()
}

test.each([
  ['with a row', ['pending']],
  ['that has expired since', ['expired']],
  ['without a row yet', []],
])(
  'a gateway that stops while the database is locked leaves a journal, and its next start charges the delivered part of a call with a hold %s',
  async (_, states) => {
    const has_row = states.length > 0
    const end = Promise.withResolvers<void>()
    await using upstream = await startUpstream(
      stream({ event: piece('The beginning,') }, { wait: end.promise }, { event: answer(' its end.') }),
    )
    using gateway = await restarts(
      catalogueOf({ upstream_url: upstream.url, server: 'shutdown_timeout_ms = 500' }),
    )
    const { path, database_path } = gateway.folder
    const journal_path = join(path, 'settlements.journal')
    using db = closing(openDatabase(database_path))
    {
      await using first = await gateway.start({ max_busy_wait_ms: MAX_BUSY_WAIT_MS })
      const before = has_row ? undefined : await takeWriteLock(database_path)
      const response = await first.call(streamPath(), { method: 'POST', body: JSON.stringify(ask()) })
      const reader = response.body?.getReader()
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('The beginning,')
      if (has_row) await eventually('the hold has its row', () => holdOutcomes(db).length === 1)
      const unlock = before ?? (await takeWriteLock(database_path))
      end.resolve()
      await first.stop()
      await unlock()
      expect(existsSync(journal_path)).toBe(true)
      if (states[0] === 'expired') await expireAll(database_path)
      expect(holdOutcomes(db).map(({ state }) => state as string)).toEqual(states)
    }
    await using _second = await gateway.start()
    await eventually('the journal is removed', () => !existsSync(journal_path))
    expect(holdOutcomes(db)).toMatchObject([{ state: 'posted' }])
    expect(db.query('SELECT outcome, cost_nanos FROM calls').all()).toEqual([
      { outcome: 'broken', cost_nanos: ANSWER_NANOS },
    ])
    expect((await audit(dbOver(db))).findings).toEqual([])
  },
  60_000,
)
