// The figures of routes: the tries of a call, their sums over restarts and for a day, and the health beside them.
import { describe, expect, test } from 'bun:test'
import { openRecentAnswers } from '../../plugins/health/recent-answers.ts'
import { healthNow } from '../../plugins/health/route-health.ts'
import { openRouteSums } from '../../plugins/health/route-sums.ts'
import { triesOf } from '../../plugins/health/tries.ts'
import type { CallRecord } from '../../src/money/ledger/operations.ts'
import { MIGRATIONS, migrate } from '../../src/store/engines/sqlite/migrate.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { recorded } from '../money/ledger/recorded.ts'
import { post } from '../money/ledger/world.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { memoryLog } from '../support/memory-log.ts'

const HOUR_MS = 3_600_000
const NO_ANSWERS = { states: async () => ({ routes: new Map(), keys: new Map() }) }
const NOTHING_SOLD = { models: new Map(), providers: new Map() }

/** The health by the figures alone: no route fails by its last answers. */
const healthOf = (sums: ReturnType<typeof openRouteSums>) =>
  healthNow({ sums, recent: NO_ANSWERS, catalogue: NOTHING_SOLD, now_ms: NOW_MS })
const NOW_MS = 500_000 * HOUR_MS + 1_800_000

const tried = (provider: string, failure_class: string) => ({
  provider,
  model: 'm',
  key: `${provider}#1`,
  at_ms: 0,
  took_ms: 1,
  failure_class,
})

/** A call of model `m`, with the tries that failed before its end. */
function callOf(fields: Partial<CallRecord>, ...failed: ReturnType<typeof tried>[]): CallRecord {
  const trace = failed.length > 0 ? JSON.stringify({ tried: failed, sent_ms: 40, head_ms: 50 }) : ''
  const { call } = post(1, 0, {
    model: 'm',
    provider: 'a',
    upstream_model: 'm',
    started_at_ms: NOW_MS,
    duration_ms: 0,
    first_byte_ms: 90,
    failed_tries: failed.length,
    trace,
    ...fields,
  })
  return call
}

describe('the tries of a call', () => {
  test.each<
    [string, CallRecord, [provider: string, result: string, is_last: boolean, first_byte_ms: number][]]
  >([
    ['one that answered', callOf({}), [['a', 'answered', true, 90]]],
    [
      'two, of which the second answered: its own time counts',
      callOf({ provider: 'b' }, tried('a', 'overloaded')),
      [
        ['a', 'overloaded', false, 0],
        ['b', 'answered', true, 10],
      ],
    ],
    [
      'two that failed',
      callOf({ outcome: 'failed', status: 502 }, tried('a', 'bad_key'), tried('b', 'timed_out')),
      [
        ['a', 'bad_key', false, 0],
        ['b', 'timed_out', true, 0],
      ],
    ],
    ['an interrupted answer', callOf({ outcome: 'broken' }), [['a', 'broke_off', true, 0]]],
    ['a disconnect within the answer', callOf({ outcome: 'cancelled' }), [['a', 'answered', true, 90]]],
    ['a disconnect before it', callOf({ outcome: 'cancelled', first_byte_ms: null }), []],
    [
      'a disconnect after a failed try',
      callOf({ outcome: 'cancelled', first_byte_ms: null }, tried('a', 'overloaded')),
      [['a', 'overloaded', false, 0]],
    ],
    [
      'none, by the caller’s fault',
      callOf({ outcome: 'failed', status: 400, provider: '' }),
      [['', 'bad_request', true, 0]],
    ],
    [
      'none, by another fault',
      callOf({ outcome: 'failed', status: 503, provider: '' }),
      [['', 'failed', true, 0]],
    ],
  ])('%s', (_, call, expected) => {
    expect(
      triesOf(call).map(({ provider, result, is_last, first_byte_ms }) => [
        provider,
        result,
        is_last,
        first_byte_ms,
      ]),
    ).toEqual(expected)
  })
})

describe('the sums of routes', () => {
  const [ok, bad] = [callOf({}), callOf({ outcome: 'failed', status: 502 }, tried('a', 'overloaded'))]
  const scene = () => {
    let now_ms = NOW_MS
    const db = memoryDatabase()
    const open = () => openRouteSums(dbOver(db), { now: () => now_ms, log: memoryLog().log })
    const rows = () => db.query<{ rows: number }, []>('SELECT count(*) AS rows FROM route_sums').get()?.rows
    const later = (ms: number): void => {
      now_ms += ms
    }
    return { db, open, rows, later }
  }
  /** The failed calls of the model and failed requests to the provider, with the state of both. */
  const failed = async (sums: ReturnType<typeof openRouteSums>) => {
    const health = await healthOf(sums)
    const [model, provider] = [health.ofModel('m'), health.ofProvider('a')]
    expect(health.ofRoute('m', 'a', 'm')).toEqual(provider)
    return [model.calls.failed, provider.tries.failed, model.state, provider.state]
  }

  test('are the same before and after they are written, and over a restart', async () => {
    const { open, rows } = scene()
    const sums = open()
    for (const call of [bad, bad, bad]) sums.add(call)
    expect(await failed(sums)).toEqual([3, 3, 'working', 'working'])
    expect(rows()).toBe(0)
    await sums.close()
    const again = open()
    expect(await failed(again)).toEqual([3, 3, 'working', 'working'])
    expect((await healthOf(again)).ofModel('m')).toMatchObject({
      tries: { answered: 0, failed: 3, refused: 0 },
      calls: { answered: 0, failed: 3, refused: 0 },
      classes: { overloaded: 3 },
      first_byte_ms: null,
    })
    again.add(ok)
    await again.write()
    expect((await healthOf(again)).ofProvider('a')).toMatchObject({
      tries: { answered: 1, failed: 3 },
      first_byte_ms: 90,
    })
    // One row for failures and one for answers.
    expect(rows()).toBe(2)
    await again.close()
  })

  test('cover a day, and are deleted after it, as are the five-minute sums of earlier versions', async () => {
    const { db, open, rows, later } = scene()
    const start_s = Math.floor(NOW_MS / 300_000) * 300
    db.run(`INSERT INTO route_sums VALUES (300, ${start_s}, 'm', 'a', 'm', 'overloaded', 2, 1, 0)`)
    const sums = open()
    sums.add(bad)
    expect(await failed(sums)).toEqual([1, 1, 'working', 'working'])
    later(1.5 * HOUR_MS)
    expect(await failed(sums)).toEqual([1, 1, 'working', 'working'])
    await sums.write()
    expect(rows()).toBe(2)
    later(24 * HOUR_MS)
    expect(await failed(sums)).toEqual([0, 0, 'unknown', 'unknown'])
    sums.add(callOf({ started_at_ms: NOW_MS + 25.5 * HOUR_MS }))
    await sums.write()
    expect(rows()).toBe(1)
    expect(await failed(sums)).toEqual([0, 0, 'working', 'working'])
    await sums.close()
  })

  test.each([true, false])(
    'count a call once that is added during a write, which succeeds or not: %p',
    async (may_write) => {
      const { db, open } = scene()
      const sums = open()
      sums.add(bad)
      db.run(`PRAGMA query_only = ${may_write ? 'OFF' : 'ON'}`)
      const writing = sums.write()
      sums.add(bad)
      const meanwhile = healthOf(sums)
      sums.add(ok)
      await writing
      expect((await meanwhile).ofModel('m').calls).toEqual({ answered: 0, failed: 2, refused: 0 })
      const counts = { answered: 1, failed: 2, refused: 0 }
      expect((await healthOf(sums)).ofModel('m').calls).toEqual(counts)
      db.run('PRAGMA query_only = OFF')
      await sums.close()
      expect((await healthOf(open())).ofModel('m').calls).toEqual(counts)
    },
  )

  test('wait if they cannot be written', async () => {
    const { db, open } = scene()
    const sums = open()
    sums.add(bad)
    db.run('PRAGMA query_only = ON')
    await sums.write()
    expect(await failed(sums)).toEqual([1, 1, 'working', 'working'])
    db.run('PRAGMA query_only = OFF')
    await sums.write()
    await sums.close()
    expect(await failed(open())).toEqual([1, 1, 'working', 'working'])
  })
})

test.each<[string, CallRecord[], [model: string, provider: string, sentence: string | null]]>([
  ['none', [], ['unknown', 'unknown', null]],
  ['all answered', [callOf({})], ['working', 'working', null]],
  [
    'a first route that fails, and a second one that answers: the model works',
    [callOf({ provider: 'b' }, tried('a', 'overloaded'))],
    ['working', 'impaired', 'm: The last call failed: overloaded (1).'],
  ],
  [
    'one of three',
    [
      callOf({}),
      callOf({ outcome: 'failed', status: 502, provider: '' }, tried('a', 'timed_out')),
      callOf({}),
    ],
    ['impaired', 'impaired', 'm: 1 of the last 3 calls failed: timeout (1).'],
  ],
  [
    'bad requests that the provider refused',
    [callOf({ outcome: 'failed', status: 400 }), callOf({ outcome: 'failed', status: 400 })],
    ['working', 'working', null],
  ],
  [
    'an interrupted answer',
    [callOf({ outcome: 'broken' }), callOf({})],
    ['impaired', 'impaired', 'm: 1 of the last 2 calls failed: interrupted (1).'],
  ],
])('the health beside the figures, of calls: %s', async (_, calls, [model, provider, sentence]) => {
  const clock = { now: () => NOW_MS, log: memoryLog().log }
  const db = dbOver(memoryDatabase())
  const [sums, recent] = [openRouteSums(db, clock), openRecentAnswers(db, clock)]
  for (const call of calls) {
    sums.add(call)
    recent.add(call, undefined, () => undefined)
  }
  const routes = ['a', 'b'].map((name) => ({ provider: name, model: 'm' }))
  const catalogue = {
    models: new Map([['m', { id: 'm', routes }]]),
    providers: new Map(['a', 'b'].map((name) => [name, { name, api_keys: [] }])),
  } as unknown as Parameters<typeof healthNow>[0]['catalogue']
  const health = await healthNow({ sums, recent, catalogue, now_ms: NOW_MS })
  expect(health.ofModel('m').state).toBe(model as never)
  expect(health.ofProvider('a')).toMatchObject({ state: provider, sentence })
  await Promise.all([sums.close(), recent.close()])
})

test('an upgrade computes the sums from the calls of the last day', async () => {
  const now_ms = Date.now()
  const db = memoryDatabase()
  await recorded(
    [
      { started_at_ms: now_ms - 60_000 },
      {
        started_at_ms: now_ms - 60_000,
        outcome: 'failed' as const,
        status: 502,
        failed_tries: 2,
        trace: JSON.stringify({ tried: [tried('a', 'overloaded'), tried('b', 'timed_out')] }),
      },
      { started_at_ms: now_ms - 60_000, failed_tries: 1, trace: '' },
      {
        started_at_ms: now_ms - 60_000,
        outcome: 'failed' as const,
        status: 400,
        provider: '',
        upstream_model: '',
      },
      { started_at_ms: now_ms - 60_000, outcome: 'cancelled' as const, first_byte_ms: null },
      { started_at_ms: now_ms - 60_000, outcome: 'broken' as const },
      { started_at_ms: now_ms - 30 * HOUR_MS },
    ].map((call) => [
      1,
      10,
      { model: 'm', provider: 'a', upstream_model: 'm', duration_ms: 0, first_byte_ms: 90, ...call },
    ]),
    db,
  )
  db.run(`DROP TABLE route_sums; PRAGMA user_version = ${MIGRATIONS_BEFORE}`)
  migrate(db, MIGRATIONS.slice(0, MIGRATIONS_BEFORE + 1))
  const sums = openRouteSums(dbOver(db), { now: () => now_ms, log: memoryLog().log })
  const health = await healthOf(sums)
  expect(health.ofModel('m')).toMatchObject({
    tries: { answered: 2, failed: 3, refused: 1 },
    calls: { answered: 2, failed: 2, refused: 1 },
    classes: { overloaded: 1, timed_out: 1, broke_off: 1, bad_request: 1 },
    first_byte_ms: 90,
  })
  expect(health.ofProvider('b').tries).toEqual({ answered: 0, failed: 1, refused: 0 })
})

/** The migration that made the table. */
const MIGRATIONS_BEFORE = MIGRATIONS.findIndex((sql) => sql.includes('CREATE TABLE route_sums'))
