// The fsync measurement, which decides between the writers.
import { expect, spyOn, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { openLedger } from '../../src/ledger/ledger.ts'
import { medianSyncMs } from '../../src/ledger/measure.ts'
import { onDisk } from './disk.ts'
import { topUp } from './world.ts'

test('an fsync takes time, and its measurement leaves no files', () =>
  onDisk({}, (path) => {
    const before = readdirSync(dirname(path)).sort()
    expect(medianSyncMs(path)).toBeGreaterThan(0)
    expect(readdirSync(dirname(path)).sort()).toEqual(before)
  }))

test('of the times that were measured it is the one in the middle', () =>
  onDisk({}, (path) => {
    const times = [9, 1, 8, 2, 3, 4, 7].flatMap((took_ms) => [0, took_ms])
    using clock = spyOn(performance, 'now').mockImplementation(() => times.shift() ?? Number.NaN)
    expect([medianSyncMs(path), clock.mock.calls.length]).toEqual([4, 14])
  }))

test('a database in memory measures 0', () => {
  expect(medianSyncMs(':memory:')).toBe(0)
})

test('a folder that cannot be written to is an error', () => {
  expect(() => medianSyncMs('/nowhere/at/all/tollgate.db')).toThrow(/ENOENT/)
})

test('the ledger works with the writer that it chose itself', () =>
  onDisk({}, async (path) => {
    const ledger = await openLedger({ path, writer: 'auto' })
    expect(await ledger.submit(topUp(5))).toMatchObject({ ok: true, balance_nanos: 5 })
    await ledger.close()
  }))
