// The executor on disks that fail or stall: nothing is answered that may be lost, and nothing is written twice.
import { describe, expect, test } from 'bun:test'
import { DISK, type Disk, openExecutor } from '../../../src/money/ledger/executor.ts'
import { groupCommit, openLedger } from '../../../src/money/ledger/ledger.ts'
import type { Probe } from '../../../src/money/ledger/writer.ts'
import { eventually } from '../../support/eventually.ts'
import { onDisk } from './disk.ts'
import { brokenInvariants, hold, post, stateOf, topUp } from './world.ts'

const FAILED = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })

/** A disk whose flushes fail while the test wants it. */
function failing() {
  const state = { fails: false, flushes: 0 }
  const disk: Disk = {
    ...DISK,
    flush(file) {
      state.flushes += 1
      if (state.fails) throw FAILED
      DISK.flush(file)
    },
  }
  return { state, disk }
}

describe('a flush that fails', () => {
  test('leaves the outcome of the batch unknown; refusals stay refusals', () =>
    onDisk({ balance: 100 }, async (path) => {
      const { state, disk } = failing()
      const executor = openExecutor(path, { disk })
      state.fails = true
      expect(await executor.commit([hold(60), hold(60)], 0)).toEqual([
        { failure: { unavailable: true, cause: 'EIO: EIO: i/o error, fdatasync' } },
        { ok: false, refusal: 'insufficient_balance' },
      ])
      await executor.close()
    }))

  test('is not tried again: nothing is committed until the log has been restarted', () =>
    onDisk({ balance: 100 }, async (path, db) => {
      const { state, disk } = failing()
      const executor = openExecutor(path, { disk })
      state.fails = true
      await executor.commit([topUp(5)], 0)
      state.fails = false
      const before = { flushes: state.flushes, balance: stateOf(db)?.balance }
      expect(await executor.commit([topUp(7)], 0)).toMatchObject([{ failure: { unavailable: true } }])
      expect({ flushes: state.flushes, balance: stateOf(db)?.balance }).toEqual(before)

      // A reader keeps the log from being restarted.
      db.run('BEGIN')
      db.run('SELECT id FROM accounts')
      expect(await executor.tryToWrite()).toMatchObject({
        cause: 'SQLITE_BUSY: the write-ahead log is in use',
      })
      expect(await executor.commit([topUp(7)], 0)).toMatchObject([{ failure: { unavailable: true } }])
      db.run('COMMIT')

      expect(await executor.tryToWrite()).toBeUndefined()
      expect(await executor.commit([topUp(7)], 0)).toMatchObject([{ ok: true, balance_nanos: 112 }])
      await executor.close()
    }))

  test('makes the ledger fail until it can commit again, and a settlement that is tried again is charged once', () =>
    onDisk({ balance: 100 }, async (path, db) => {
      const { state, disk } = failing()
      const reports: (string | undefined)[] = []
      const ledger = openLedger({ path, disk, onChange: (failing) => reports.push(failing) })
      await ledger.submit(hold(60))
      state.fails = true
      const settle = () => ledger.submit(post(1, 25)).catch(({ code }) => code)
      expect(await settle()).toBe('ledger_unavailable')
      expect(ledger.failing).toBe('the database cannot be written')
      expect(await settle()).toBe('ledger_unavailable')
      state.fails = false
      await eventually('it can commit', () => ledger.failing === undefined)
      expect(await settle()).toEqual({ ok: false, refusal: 'already_resolved' })
      expect(stateOf(db)).toMatchObject({ balance: 75, held: 0, spent: 25 })
      expect(brokenInvariants(db)).toEqual([])
      expect(reports).toEqual(['the database cannot be written', undefined])
      await ledger.close()
    }))
})

test('writing the rows of holds after a failed flush does not make the ledger report that it can commit', () =>
  onDisk({ balance: 100 }, async (path) => {
    let clock_ms = 0
    const flushing = Promise.withResolvers<void>()
    const disk: Disk = { ...DISK, now_ms: () => (clock_ms += 2), flushBeside: () => flushing.promise }
    const reports: (string | undefined)[] = []
    const executor = openExecutor(path, { gateway_id: 1, disk })
    const ledger = groupCommit(
      // It never succeeds here: the rows are due before it is tried.
      { ...executor, tryToWrite: async () => ({ unavailable: true, cause: 'EIO' }) },
      { onChange: (failing) => reports.push(failing) },
    )
    for (let slow = 0; slow < 5; slow++) await ledger.submit(topUp(1))
    const failed = ledger.submit(topUp(1)).catch(({ code }) => code)
    await eventually('it is flushed', () => clock_ms > 20)
    await ledger.submit(hold(60))
    flushing.reject(FAILED)
    expect(await failed).toBe('ledger_unavailable')
    await eventually('the row is written', () => ledger.unwritten.size === 0)
    expect(reports).toEqual(['the database cannot be written'])
    await ledger.close()
  }))

test('a batch of refusals does not wait for the disk', () =>
  onDisk({}, async (path) => {
    const { state, disk } = failing()
    const executor = openExecutor(path, { disk })
    state.fails = true
    expect(await executor.commit([hold(1)], 0)).toEqual([{ ok: false, refusal: 'insufficient_balance' }])
    expect(state.flushes).toBe(0)
    await executor.close()
  }))

test('a batch that is written in parts is flushed once', () =>
  onDisk({ balance: 100 }, async (path) => {
    const { state, disk } = failing()
    const executor = openExecutor(path, { disk })
    await executor.commit([hold(10), hold(10)], 0)
    state.flushes = 0
    const results = await executor.commit([post(1, 5), post(2, 5, { streamed: 2 }), topUp(1)], 0)
    expect(results.map((result) => 'ok' in result)).toEqual([true, false, true])
    expect(state.flushes).toBe(1)
    await executor.close()
  }))

test('a batch passes its points in order', () =>
  onDisk({ balance: 100 }, async (path) => {
    const points: string[] = []
    const probe: Probe = (point) => points.push(point)
    const executor = openExecutor(path, { probe })
    await executor.commit([hold(10)], 0)
    expect(points).toEqual(['batch.started', 'batch.written', 'batch.committed', 'batch.synced'])
    await executor.close()
  }))

test(
  'while a slow disk stalls, the event loop goes on and no operation waits longer than the limit; later all is well',
  () =>
    onDisk({ balance: 100 }, async (path, db) => {
      let clock_ms = 0
      let stalled = Promise.withResolvers<void>()
      stalled.resolve()
      const disk: Disk = {
        ...DISK,
        now_ms: () => (clock_ms += 2),
        flushBeside: (file) => stalled.promise.then(() => DISK.flush(file)),
      }
      const awake = setInterval(() => {}, 1_000)
      const ledger = groupCommit(openExecutor(path, { disk }))
      for (let slow = 0; slow < 5; slow++) await ledger.submit(topUp(1))
      await ledger.submit(hold(60))
      stalled = Promise.withResolvers()
      const settle = () => ledger.submit(post(1, 25)).catch(({ code }) => code)
      const [first, behind] = [settle(), settle()]
      expect([await first, await behind]).toEqual(['ledger_unavailable', 'ledger_unavailable'])
      expect(ledger.failing).toBe('the disk does not answer')
      stalled.resolve()
      await eventually('it can commit', () => ledger.failing === undefined)
      expect(await settle()).toEqual({ ok: false, refusal: 'already_resolved' })
      expect(stateOf(db)).toMatchObject({ balance: 80, held: 0, spent: 25 })
      expect(brokenInvariants(db)).toEqual([])
      clearInterval(awake)
      await ledger.close()
    }),
  60_000,
)
