// The sums of a batch: calls of one kind change the kept sums once, and writer and trigger add them up alike.
import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import type { Operation } from '../../../src/money/ledger/operations.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { brokenInvariants, hold, post, topUp, voided, world } from './world.ts'

const QUARTER_MS = 900_000
const MAX = Number.MAX_SAFE_INTEGER

/** A world with holds, numbered from 1, of keys 1 and 3 of account 1 in turns. */
function heldWorld(holds: number): Database {
  const db = world({ balance: 1_000_000 })
  const writer = createWriter(db)
  writer.commit(Array.from({ length: holds }, (_, index) => hold(10, { key_id: index % 2 ? 3 : 1 })))
  return db
}

/** The calls that the writer itself has added to the sums. */
const summedOf = (db: Database): number[] =>
  db
    .query<{ id: number }, []>('SELECT id FROM calls WHERE summed = 1 ORDER BY id')
    .all()
    .map(({ id }) => id)

/** The sums by quarters: how many calls, their input tokens and cost, and the range of their ids. */
const quartersOf = (db: Database): string[] =>
  db
    .query<{ text: string }, []>(
      `SELECT format('key %d %s %s: %d calls, %d in, %d nanos, %d to %d', key_id, model, outcome, calls, input_tokens,
                     cost_nanos, first_call_id, last_call_id) AS text
         FROM call_sums WHERE span_s = 900 ORDER BY account_id, start_s, key_id, model, outcome`,
    )
    .all()
    .map(({ text }) => text)

interface Case {
  name: string
  batch: Operation[]
  /** The calls that were put together. */
  together: number[]
  sums: string[]
}

const CASES: Case[] = [
  {
    name: 'a call alone is left to the trigger',
    batch: [post(1, 5)],
    together: [],
    sums: ['key 1 sim-text completed: 1 calls, 10 in, 5 nanos, 1 to 1'],
  },
  {
    name: 'two of a kind are put together',
    batch: [post(1, 5), post(3, 7, { input_tokens: 90 })],
    together: [1, 3],
    sums: ['key 1 sim-text completed: 2 calls, 100 in, 12 nanos, 1 to 3'],
  },
  {
    name: 'the order of their ends does not matter',
    batch: [post(5, 1), post(1, 2), post(3, 3)],
    together: [1, 3, 5],
    sums: ['key 1 sim-text completed: 3 calls, 30 in, 6 nanos, 1 to 5'],
  },
  {
    name: 'calls of two keys are put together by key',
    batch: [post(1, 1), post(2, 2), post(3, 4)],
    together: [1, 3],
    sums: [
      'key 1 sim-text completed: 2 calls, 20 in, 5 nanos, 1 to 3',
      'key 3 sim-text completed: 1 calls, 10 in, 2 nanos, 2 to 2',
    ],
  },
  {
    name: 'calls of two models are not put together',
    batch: [post(1, 1), post(3, 2, { model: 'other' })],
    together: [],
    sums: [
      'key 1 other completed: 1 calls, 10 in, 2 nanos, 3 to 3',
      'key 1 sim-text completed: 1 calls, 10 in, 1 nanos, 1 to 1',
    ],
  },
  {
    name: 'voided calls count, too, at no cost',
    batch: [voided(1), voided(3)],
    together: [1, 3],
    sums: ['key 1 sim-text completed: 2 calls, 20 in, 0 nanos, 1 to 3'],
  },
  {
    name: 'the last moment of a quarter is not the next quarter',
    batch: [
      post(1, 1, { started_at_ms: QUARTER_MS * 2 - 1 }),
      post(3, 2, { started_at_ms: QUARTER_MS * 2 }),
      post(5, 4, { started_at_ms: QUARTER_MS * 3 - 1 }),
    ],
    together: [3, 5],
    sums: [
      'key 1 sim-text completed: 1 calls, 10 in, 1 nanos, 1 to 1',
      'key 1 sim-text completed: 2 calls, 20 in, 6 nanos, 3 to 5',
    ],
  },
  {
    name: 'a refused settlement does not count',
    batch: [post(1, 5), post(1, 5), post(99, 5)],
    together: [],
    sums: ['key 1 sim-text completed: 1 calls, 10 in, 5 nanos, 1 to 1'],
  },
  {
    name: 'a sum that a number cannot hold is left to the trigger',
    batch: [post(1, 1, { input_tokens: MAX }), post(3, 1, { input_tokens: 2 })],
    together: [],
    sums: ['key 1 sim-text completed: 2 calls, 9007199254740993 in, 2 nanos, 1 to 3'],
  },
]

describe('the sums', () => {
  test.each(CASES)('$name', ({ batch, together, sums }) => {
    const db = heldWorld(6)
    createWriter(db).commit(batch)
    expect(summedOf(db)).toEqual(together)
    expect(quartersOf(db)).toEqual(sums)
    expect(brokenInvariants(db)).toEqual([])
  })

  test.each(CASES)('$name: the same, each in a batch of its own', ({ batch, sums }) => {
    const db = heldWorld(6)
    const writer = createWriter(db)
    for (const operation of batch) writer.commit([operation])
    expect(summedOf(db)).toEqual([])
    expect(quartersOf(db)).toEqual(sums)
    expect(brokenInvariants(db)).toEqual([])
  })
})

test('calls of an older version, which does not know the column, are summed beside those of a batch', () => {
  const db = heldWorld(6)
  createWriter(db).commit([post(1, 5), post(3, 7)])
  const columns = db
    .query<{ name: string }, []>(
      `SELECT name FROM pragma_table_info('calls') WHERE name NOT IN ('summed', 'id')`,
    )
    .all()
    .map(({ name }) => name)
  db.run('DELETE FROM holds WHERE id = 5')
  db.run(`INSERT INTO calls (id, ${columns.join()}) SELECT 5, ${columns.join()} FROM calls WHERE id = 3`)
  expect(quartersOf(db)).toEqual(['key 1 sim-text completed: 3 calls, 30 in, 19 nanos, 1 to 5'])
})

test('a batch that the tables refuse leaves no sums, and its good operations can be committed again', () => {
  const db = heldWorld(6)
  const writer = createWriter(db)
  expect(() => writer.commit([post(1, 5), post(3, 7), post(5, 1, { images: -1 })])).toThrow(/CHECK/)
  expect(quartersOf(db)).toEqual([])
  writer.commit([post(1, 5), post(3, 7), topUp(1)])
  expect(quartersOf(db)).toEqual(['key 1 sim-text completed: 2 calls, 20 in, 12 nanos, 1 to 3'])
  expect(brokenInvariants(db)).toEqual([])
})
