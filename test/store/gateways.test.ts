// The rows of gateways: those alive after starts, stops and kills, and no id twice.
import type { Database } from 'bun:sqlite'
import { beforeEach, expect, test } from 'bun:test'
import type { Db } from '../../src/store/db.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { beginGateway, endedGateways, endGateway, isAlive, removeEnded } from '../../src/store/gateways.ts'
import { memoryDatabase } from '../support/empty-database.ts'

let connection: Database
let db: Db
let clock_ms: number

beforeEach(() => {
  connection = memoryDatabase()
  db = dbOver(connection)
  clock_ms = 0
})

const ALONE = { node: 'here', name: 'machine', is_alone: true } as const

/** The first and the last step of a start, and a stop. */
const STEPS = {
  begin: () => beginGateway(db, { ...ALONE, version: `1.${clock_ms}`, now_ms: clock_ms }),
  recovered: async () => removeEnded(db, await endedGateways(db)),
  stop: async () => endGateway(db, newest(), clock_ms),
}
type Step = keyof typeof STEPS
const newest = () => connection.query<{ id: number }, []>('SELECT max(id) AS id FROM gateways').get()?.id ?? 0

const CASES: [string, Step[], rows: [id: number, started_at_ms: number, ended_at_ms: number | null][]][] = [
  ['a first start', ['begin', 'recovered'], [[1, 1, null]]],
  ['a stop', ['begin', 'recovered', 'stop'], [[1, 1, 3]]],
  [
    'a start after a stop, which has not recovered yet',
    ['begin', 'stop', 'begin'],
    [
      [1, 1, 2],
      [2, 3, null],
    ],
  ],
  [
    'a start after a kill: the row of the dead one ends',
    ['begin', 'begin'],
    [
      [1, 1, 2],
      [2, 2, null],
    ],
  ],
  ['once it has recovered', ['begin', 'begin', 'recovered'], [[2, 2, null]]],
  [
    'a start after two that were killed before they had recovered',
    ['begin', 'begin', 'begin', 'recovered'],
    [[3, 3, null]],
  ],
  [
    'many starts and stops: one row, under a number of its own',
    Array.from({ length: 30 }, (_, at) => (['begin', 'recovered', 'stop'] as const)[at % 3] ?? 'stop'),
    [[10, 28, 30]],
  ],
]

test.each(CASES)('%s', async (_, steps, rows) => {
  for (const step of steps) {
    clock_ms += 1
    await STEPS[step]()
  }
  expect(
    connection.query('SELECT id, started_at_ms, ended_at_ms FROM gateways ORDER BY id').values(),
  ).toEqual(rows)
  for (let id = 0; id <= 11; id++)
    expect([id, await isAlive(db, id)]).toEqual([
      id,
      rows.some(([of, , ended_at_ms]) => of === id && ended_at_ms === null),
    ])
})

test('a row has the version of its gateway', async () => {
  await beginGateway(db, { ...ALONE, version: '9.8.7', now_ms: 0 })
  expect(connection.query('SELECT version FROM gateways').values()).toEqual([['9.8.7']])
})
