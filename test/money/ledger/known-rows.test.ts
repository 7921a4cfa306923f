// The rows that a writer knows from earlier batches: it reads them again if another connection may have changed them.
import type { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import type { Operation, Outcome } from '../../../src/money/ledger/operations.ts'
import { createWriter, type Probe, type Writer } from '../../../src/money/ledger/writer.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { onDisk } from './disk.ts'
import { charged, held, late, money, refused, returned } from './steps.ts'
import { brokenInvariants, expire, hold, NOW, post, topUp, voided } from './world.ts'

interface Case {
  name: string
  /** A write by another connection, after a batch in which account 1, of 100, and key 1 held 60. */
  meanwhile: (other: Database, writer: Writer) => void
  after: readonly (readonly [Operation, Outcome])[]
}

const run = (sql: string) => (other: Database) => void other.run(sql)
const commit = (operation: Operation) => (_: Database, writer: Writer) => void writer.commit([operation])

const CASES: Case[] = [
  {
    name: 'nothing is written',
    meanwhile: () => {},
    after: [
      [post(1, 25), charged(25)],
      [hold(75), held(2, 75)],
    ],
  },
  {
    name: 'the account is suspended',
    meanwhile: run(`UPDATE accounts SET status = 'suspended'`),
    after: [[hold(1), refused('account_suspended')]],
  },
  {
    name: 'the key is revoked',
    meanwhile: run(`UPDATE keys SET revoked_at_ms = ${NOW}`),
    after: [[hold(1), refused('key_revoked')]],
  },
  {
    name: 'the key gets a spend limit',
    meanwhile: run('UPDATE keys SET spend_limit_nanos = 65'),
    after: [
      [hold(6), refused('key_spend_limit')],
      [hold(5), held(2, 5)],
    ],
  },
  { name: 'the balance is topped up', meanwhile: commit(topUp(50)), after: [[hold(90), held(2, 90)]] },
  {
    name: 'money is held',
    meanwhile: commit(hold(30)),
    after: [
      [hold(11), refused('insufficient_balance')],
      [hold(10), held(3, 10)],
    ],
  },
  {
    name: 'the hold is posted',
    meanwhile: commit(post(1, 10)),
    after: [
      [post(1, 10), refused('already_resolved')],
      [topUp(1), money(91)],
    ],
  },
  {
    name: 'the hold is voided',
    meanwhile: commit(voided(1)),
    after: [
      [voided(1), refused('already_resolved')],
      [hold(100), held(2, 100)],
    ],
  },
  {
    name: 'the hold expires',
    meanwhile: commit(expire(1)),
    after: [
      [hold(95), held(2, 95)],
      [post(1, 10), late(charged(5, 5))],
      [voided(1), refused('already_resolved')],
    ],
  },
  {
    name: 'the hold expires and is posted late',
    meanwhile: (_, writer) => void [writer.commit([expire(1)]), writer.commit([post(1, 10)])],
    after: [
      [post(1, 10), refused('already_resolved')],
      [hold(90), held(2, 90)],
    ],
  },
  {
    name: 'the last hold has another number than before',
    meanwhile: (_, writer) => void writer.commit([hold(1), hold(1), voided(2)]),
    after: [
      [hold(1), held(4, 1)],
      [post(3, 1), charged(1)],
    ],
  },
  {
    name: 'something else is written',
    meanwhile: run(`UPDATE accounts SET name = 'other'`),
    after: [[voided(1), returned(60)]],
  },
]

test.each(CASES)('$name: the next batches see it', ({ meanwhile, after }) =>
  onDisk({ balance: 100 }, (path, other) => {
    const db = openDatabase(path)
    const writer = createWriter(db)
    expect(writer.commit([hold(60)])).toEqual([held(1, 60)])
    meanwhile(other, createWriter(other))
    for (const [operation, outcome] of after) expect(writer.commit([operation])).toEqual([outcome])
    expect(brokenInvariants(other)).toEqual([])
    db.close()
  }),
)

test.each(['batch.started', 'batch.written', 'batch.committed'] as const)(
  'after a batch that fails at %s the writer knows no row that the tables do not have',
  (fatal) =>
    onDisk({ balance: 100 }, (path, other) => {
      let failures = 0
      const probe: Probe = (point) => {
        if (point === fatal && failures-- > 0) throw new Error('at a point')
      }
      const db = openDatabase(path)
      const writer = createWriter(db, probe)
      writer.commit([hold(60)])
      failures = 1
      expect(() => writer.commit([hold(30), post(1, 40), topUp(5)])).toThrow('at a point')
      const committed = fatal === 'batch.committed'
      expect(writer.commit([post(1, 40)])).toEqual([committed ? refused('already_resolved') : charged(40)])
      expect(writer.commit([hold(committed ? 35 : 60)])).toEqual([committed ? held(3, 35) : held(2, 60)])
      expect(writer.commit([hold(1)])).toEqual([refused('insufficient_balance')])
      expect(brokenInvariants(other)).toEqual([])
      db.close()
    }),
)

test('a batch reads no row that the last one had if nobody has written in between', () =>
  onDisk({ balance: 100 }, (path) => {
    const db = openDatabase(path)
    const writer = createWriter(db)
    writer.commit([hold(60)])
    // Through the writer's own connection, which no code may do: the writer does not notice.
    db.run('UPDATE accounts SET held_nanos = 61')
    writer.commit([hold(20)])
    expect(db.query('SELECT held_nanos FROM accounts').get()).toEqual({ held_nanos: 80 })
    db.close()
  }))
