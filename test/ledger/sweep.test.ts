// The sweep: which pending holds are orphaned, and what they may have cost the operator.
import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { dbOver } from '../../src/db/sqlite.ts'
import { commitBatch } from '../../src/ledger/failure.ts'
import { groupCommit } from '../../src/ledger/ledger.ts'
import type { Ledger } from '../../src/ledger/operations.ts'
import { expireOrphanedHolds } from '../../src/ledger/sweep.ts'
import { createWriter } from '../../src/ledger/writer.ts'
import { brokenInvariants, hold, NOW, post, stateOf, voided, world } from './world.ts'

const ledgerOver = (db: Database): Ledger => {
  const writer = createWriter(db)
  return groupCommit({
    commit: async (operations) => commitBatch(writer, operations),
    tryToWrite: async () => undefined,
    close: async () => {},
  })
}

/** Three pending holds, of 10, 20 and 30, each a second longer than the one before; and two that are resolved. */
const withHolds = (): Database => {
  const db = world({ balance: 100 })
  createWriter(db).commit([
    hold(10, { expires_at_ms: NOW + 1_000 }),
    hold(20, { expires_at_ms: NOW + 2_000 }),
    hold(30, { expires_at_ms: NOW + 3_000 }),
    hold(1, { expires_at_ms: NOW }),
    hold(2, { expires_at_ms: NOW }),
    post(4, 1),
    voided(5),
  ])
  return db
}

describe('the sweep', () => {
  test.each([
    ['at the start expires all pending holds', NOW, true, [1, 2, 3], 60, 0],
    ['later expires none before its time limit', NOW + 999, false, [], 0, 60],
    ['later expires those at their time limit', NOW + 1_000, false, [1], 10, 50],
    ['later expires all those past their time limit', NOW + 2_500, false, [1, 2], 30, 30],
  ])('%s', async (_, now_ms, all, ids, loss, held) => {
    const db = withHolds()
    const swept = await expireOrphanedHolds(dbOver(db), ledgerOver(db), now_ms, { all })
    expect(swept.expired.map(({ id }) => id)).toEqual(ids)
    expect(swept.possible_loss_nanos).toBe(loss)
    expect(stateOf(db)).toMatchObject({ balance: 99, held })
    expect(brokenInvariants(db)).toEqual([])
  })

  test('does not expire the hold of a running call, however late it is', async () => {
    const db = withHolds()
    const swept = await expireOrphanedHolds(dbOver(db), ledgerOver(db), NOW + 2_500, {
      all: false,
      isUnderWay: (hold_id) => hold_id === 1,
    })
    expect(swept.expired.map(({ id }) => id)).toEqual([2])
    expect(stateOf(db)).toMatchObject({ held: 40 })
  })

  test('finds nothing the second time', async () => {
    const db = withHolds()
    await expireOrphanedHolds(dbOver(db), ledgerOver(db), NOW, { all: true })
    const again = await expireOrphanedHolds(dbOver(db), ledgerOver(db), NOW, { all: true })
    expect(again).toEqual({ expired: [], possible_loss_nanos: 0 })
  })

  test('does not count a hold that its call resolved in the meantime', async () => {
    const db = withHolds()
    const ledger = ledgerOver(db)
    const late: Pick<Ledger, 'submit'> = {
      submit(operation) {
        if (operation.op === 'expire' && operation.hold_id === 2) void ledger.submit(post(2, 15))
        return ledger.submit(operation)
      },
    }
    const swept = await expireOrphanedHolds(dbOver(db), late, NOW, { all: true })
    expect(swept.expired.map(({ id }) => id)).toEqual([1, 3])
    expect(swept.possible_loss_nanos).toBe(40)
    expect(stateOf(db)).toMatchObject({ balance: 84, held: 0, spent: 16 })
  })
})
