// The measurement of the disk, on which the choice of a writer rests.
import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { openLedger } from '../../src/ledger/ledger.ts'
import { medianSyncMs } from '../../src/ledger/measure.ts'
import { onDisk } from './disk.ts'
import { topUp } from './world.ts'

test('an fsync takes some time, and its measurement leaves nothing behind', () =>
  onDisk({}, (path) => {
    const before = readdirSync(dirname(path)).sort()
    expect(medianSyncMs(path)).toBeGreaterThan(0)
    expect(readdirSync(dirname(path)).sort()).toEqual(before)
  }))

test('a database in memory has no disk to wait for', () => {
  expect(medianSyncMs(':memory:')).toBe(0)
})

test('a folder that cannot be written to is an error at the start', () => {
  expect(() => medianSyncMs('/nowhere/at/all/tollgate.db')).toThrow(/ENOENT/)
})

test('the ledger that chose by itself works', () =>
  onDisk({}, async (path) => {
    const ledger = await openLedger({ path, writer: 'auto' })
    expect(await ledger.submit(topUp(5))).toMatchObject({ ok: true, balance_nanos: 5 })
    await ledger.close()
  }))
