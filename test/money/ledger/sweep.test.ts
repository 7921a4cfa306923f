// The sweep: it expires orphaned holds, and adds up what they may have cost the operator.
import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { commitBatch } from '../../../src/money/ledger/failure.ts'
import { groupCommit } from '../../../src/money/ledger/ledger.ts'
import type { Ledger } from '../../../src/money/ledger/operations.ts'
import { holdQueries } from '../../../src/money/ledger/queries.ts'
import { expireOrphanedHolds } from '../../../src/money/ledger/sweep.ts'
import { createWriter, type Writer } from '../../../src/money/ledger/writer.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { brokenInvariants, hold, NOW, post, stateOf, voided, world } from './world.ts'

const ledgerOver = (db: Database): Ledger => {
  const writer = createWriter(db)
  return groupCommit({
    commit: async (operations) => commitBatch(writer, operations),
    tryToWrite: async () => undefined,
    close: async () => {},
  })
}

/** Gateways: 1 is alive, and the one that sweeps; 2 is alive; 3 has ended; 4 has no row. */
const OWN = 1
const sweep = (db: Database, now_ms: number, isUnderWay: (hold_id: number) => boolean = () => false) =>
  expireOrphanedHolds(dbOver(db), ledgerOver(db), { now_ms, gateway_id: OWN, isUnderWay })

const withGateways = (): Database => {
  const db = world({ balance: 100 })
  db.run(
    "INSERT INTO gateways (id, version, started_at_ms, ended_at_ms) VALUES (1, 'v', 0, NULL), (2, 'v', 0, NULL), (3, 'v', 0, 9)",
  )
  return db
}

/** Three pending holds of a gateway, of 10, 20 and 30, each a second longer than the one before; and two that are resolved. */
const withHolds = (gateway_id: number | null): Database => {
  const db = withGateways()
  createWriter(db, undefined, gateway_id).commit([
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
  test.each<[string, number | null, after_ms: number, expired: number[]]>([
    ['its own before their time limit', OWN, 999, []],
    ['its own at their time limit', OWN, 1_000, [1]],
    ['its own past their time limit', OWN, 2_500, [1, 2]],
    ['those of a gateway beside it, however late', 2, 9_000, []],
    ['those of one that has ended', 3, 0, [1, 2, 3]],
    ['those of one without a row', 4, 0, [1, 2, 3]],
    ['those of an earlier version', null, 0, [1, 2, 3]],
  ])('expires only orphaned holds: %s', async (_, gateway_id, after_ms, ids) => {
    const db = withHolds(gateway_id)
    const swept = await sweep(db, NOW + after_ms)
    expect(swept.expired.map(({ id }) => id)).toEqual(ids)
    const loss = ids.reduce((sum, id) => sum + 10 * id, 0)
    expect(swept.possible_loss_nanos).toBe(loss)
    expect(stateOf(db)).toMatchObject({ balance: 99, held: 60 - loss })
    expect(brokenInvariants(db)).toEqual([])
  })

  test('reads the pending holds alone, and each gateway by its id', () => {
    const db = withHolds(OWN)
    const query = holdQueries(dbOver(db)).orphaned as unknown as { getQuery(): { sql: string } }
    const plan = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${query.getQuery().sql}`).all()
    expect(plan.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('holds USING INDEX holds_pending'),
      expect.stringContaining('CORRELATED'),
      expect.stringContaining('gateways USING INTEGER PRIMARY KEY'),
    ])
  })

  test.each([
    ['a running call of its own, however late', OWN, [2]],
    ['a running call, even if this gateway has been ended meanwhile', 3, [2, 3]],
  ])('does not expire the hold of %s', async (_, gateway_id, ids) => {
    const db = withHolds(gateway_id)
    const swept = await sweep(db, NOW + 2_500, (hold_id) => hold_id === 1)
    expect(swept.expired.map(({ id }) => id)).toEqual(ids)
  })

  test('finds nothing the second time', async () => {
    const db = withHolds(3)
    await sweep(db, NOW)
    expect(await sweep(db, NOW)).toEqual({ expired: [], possible_loss_nanos: 0 })
  })

  test('does not count a hold that its call resolved in the meantime', async () => {
    const db = withHolds(3)
    const ledger = ledgerOver(db)
    const late: Pick<Ledger, 'submit'> = {
      submit(operation) {
        if (operation.op === 'expire' && operation.hold_id === 2) void ledger.submit(post(2, 15))
        return ledger.submit(operation)
      },
    }
    const sweeping = { now_ms: NOW, gateway_id: OWN, isUnderWay: () => false }
    const swept = await expireOrphanedHolds(dbOver(db), late, sweeping)
    expect(swept.expired.map(({ id }) => id)).toEqual([1, 3])
    expect(swept.possible_loss_nanos).toBe(40)
    expect(stateOf(db)).toMatchObject({ balance: 84, held: 0, spent: 16 })
  })
})

test.each<[string, (writer: Writer) => unknown]>([
  ['decided in a batch', (writer) => writer.commit([hold(10)])],
  [
    'decided in memory',
    (writer) => {
      writer.hold(hold(10))
      expect([...writer.unwritten.values()]).toMatchObject([{ gateway_id: 7 }])
      return writer.commit([])
    },
  ],
])('a hold that is %s names the gateway of its writer', (_, open) => {
  const db = world({ balance: 100 })
  open(createWriter(db, undefined, 7))
  expect(db.query('SELECT gateway_id FROM holds').values()).toEqual([[7]])
})
