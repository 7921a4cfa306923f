// The record of refused requests: its bounds, its sums beyond them, restarts, erased accounts, and its end after 30 days.
import { describe, expect, test } from 'bun:test'
import { createRecorder, MAX_RECORDED_AN_HOUR } from '../../plugins/refusals/recorder.ts'
import { reasonsOfRefused } from '../../plugins/refusals/sums.ts'
import type { RefusalRow } from '../../plugins/refusals/tables.ts'
import type { RefusedRequest } from '../../src/calls/life/events.ts'
import { StorageFailure } from '../../src/domain/storage-failure.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The start of an hour. */
const START_MS = 500_000 * HOUR_MS

const ACCOUNTS = 40

function filled() {
  const db = memoryDatabase()
  for (let id = 1; id <= ACCOUNTS; id++)
    db.run(`
      INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms)
      VALUES (${id}, 'a${id}', 'active', 0, 0, 0, 0);
      INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms)
      VALUES (${id}, ${id}, 'k', 'tg_', randomblob(32), 0, 0, 0)`)
  return db
}

function recording(db = filled()) {
  let at_ms = START_MS
  const warnings: object[] = []
  const within = dbOver(db)
  const start = () =>
    createRecorder({
      db: within,
      now: () => at_ms,
      log: { warn: (fields) => void warnings.push(fields) },
      scrub: (text) => text.replaceAll('secret', '[hidden]'),
    })
  let refusals = start()
  let request_count = 0
  const refuse = (some: Partial<RefusedRequest> = {}, times = 1) => {
    for (let time = 0; time < times; time++)
      refusals.record({
        account_id: 1,
        key_id: 1,
        request_id: `req_${++request_count}`,
        surface: 'chat',
        model: 'm',
        status: 402,
        code: 'insufficient_balance',
        sentence: 'Top it up.',
        ...some,
      })
  }
  return {
    db,
    within,
    warnings,
    refuse,
    written: () => refusals.flush(),
    async restart() {
      await refusals.close()
      refusals = start()
    },
    close: () => refusals.close(),
    sweep: () => refusals.sweep(),
    pass(ms: number) {
      at_ms += ms
    },
    rows: () => db.query<RefusalRow, []>('SELECT * FROM refusals ORDER BY id').all(),
    sums: (span_s: number) =>
      db
        .query<{ account_id: number; key_id: number; code: string; refusals: number }, [number]>(
          `SELECT account_id, key_id, code, sum(refusals) AS refusals FROM refusal_sums WHERE span_s = ? GROUP BY 1, 2, 3`,
        )
        .all(span_s),
  }
}

describe('beyond the bound of an hour', () => {
  test('refusals are counted, but no longer recorded, until the next hour', async () => {
    const s = recording()
    s.refuse({}, MAX_RECORDED_AN_HOUR + 950)
    await s.written()
    s.refuse({}, 10)
    await s.written()
    expect(s.rows()).toHaveLength(MAX_RECORDED_AN_HOUR)
    s.pass(HOUR_MS)
    s.refuse({}, MAX_RECORDED_AN_HOUR + 10)
    await s.written()
    expect(s.rows()).toHaveLength(2 * MAX_RECORDED_AN_HOUR)
    const refusals = 2 * MAX_RECORDED_AN_HOUR + 970
    const same = { account_id: 1, code: 'insufficient_balance', refusals }
    expect(s.sums(3_600)).toEqual([{ ...same, key_id: 1 }])
    expect(s.sums(60)).toEqual([{ ...same, key_id: 0 }])
  })

  test('a flood of one account leaves room for another', async () => {
    const s = recording()
    s.refuse({}, 5_000)
    s.refuse({ account_id: 2, key_id: 2 }, 3)
    await s.written()
    expect(s.rows().filter(({ account_id }) => account_id === 2)).toHaveLength(3)
  })

  test('a storm of one kind hides no other kind', async () => {
    const s = recording()
    const forbidden = { status: 403, code: 'address_not_allowed', sentence: 'Not from here.' }
    const of403 = () => s.rows().filter(({ status }) => status === 403)
    s.refuse({}, 5_000)
    s.refuse(forbidden)
    await s.written()
    s.refuse({}, 5_000)
    s.refuse(forbidden, 2)
    await s.written()
    expect(of403().map(({ request_id }) => request_id)).toEqual(['req_5001', 'req_10002', 'req_10003'])
    expect(s.rows()).toHaveLength(MAX_RECORDED_AN_HOUR + 3)
  })

  test('a storm by all accounts at once hides no other kind, before it is written', async () => {
    const s = recording()
    for (let id = 1; id <= ACCOUNTS; id++) s.refuse({ account_id: id, key_id: id }, MAX_RECORDED_AN_HOUR)
    s.refuse({ account_id: 7, key_id: 7, status: 403, code: 'address_not_allowed' })
    await s.written()
    const rows = s.rows()
    expect(rows.at(-1)).toMatchObject({ account_id: 7, status: 403 })
    expect(rows.length).toBeLessThan(ACCOUNTS * MAX_RECORDED_AN_HOUR)
    expect(s.sums(3_600).reduce((sum, { refusals }) => sum + refusals, 0)).toBe(
      ACCOUNTS * MAX_RECORDED_AN_HOUR + 1,
    )
  })

  test('gateways of one database share the room of a reason', async () => {
    const one = recording()
    const other = recording(one.db)
    for (const each of [one, other]) each.refuse({}, MAX_RECORDED_AN_HOUR - 5)
    other.refuse({ status: 403, code: 'address_not_allowed' })
    await one.written()
    await other.written()
    expect(one.rows().filter(({ status }) => status === 402)).toHaveLength(MAX_RECORDED_AN_HOUR)
    expect(one.rows().filter(({ status }) => status === 403)).toHaveLength(1)
    expect(one.sums(3_600)).toContainEqual({
      account_id: 1,
      key_id: 1,
      code: 'insufficient_balance',
      refusals: 2 * (MAX_RECORDED_AN_HOUR - 5),
    })
  })

  test('a restart keeps the records, and makes no more room', async () => {
    const s = recording()
    s.refuse({}, MAX_RECORDED_AN_HOUR - 1)
    await s.restart()
    s.refuse({}, 100)
    await s.restart()
    expect(s.rows()).toHaveLength(MAX_RECORDED_AN_HOUR)
    expect(s.sums(3_600)).toMatchObject([{ refusals: MAX_RECORDED_AN_HOUR + 99 }])
  })

  test('endless keys and codes are distinguished up to a bound, and all counted', async () => {
    const s = recording()
    for (let made_up = 0; made_up < 500; made_up++) s.refuse({ code: `code ${made_up}` }, 2)
    await s.written()
    const sums = s.sums(3_600)
    expect(sums.length).toBeLessThanOrEqual(201)
    expect(sums.reduce((sum, { refusals }) => sum + refusals, 0)).toBe(1_000)
    expect(s.sums(60).length).toBeLessThanOrEqual(201)
    expect(new Set(s.rows().map(({ code }) => code)).size).toBe(20)
  })
})

test.each([
  ['an invalid name', { model: 'two words' }, { model: null }],
  ['no model', { model: undefined }, { model: null }],
  ['a secret as its model', { model: 'secret-1' }, { model: '[hidden]-1' }],
  ['a secret in its sentence', { sentence: 'It is secret.' }, { sentence: 'It is [hidden].' }],
  [
    'a sentence with control characters',
    { sentence: 'a\u001b[2J\nb\u202ec' },
    { sentence: 'a\\u001b[2J\\u000ab\\u202ec' },
  ],
  ['a long sentence', { sentence: 'x'.repeat(9_999) }, { sentence: 'x'.repeat(400) }],
  ['a long code', { code: 'x'.repeat(9_999) }, { code: 'x'.repeat(64) }],
])('%s is recorded in a safe form', async (_, refusal, row) => {
  const s = recording()
  s.refuse(refusal)
  await s.written()
  expect(s.rows()).toMatchObject([row])
})

test('an erased account gets no row, while others of the same batch do', async () => {
  const s = recording()
  s.db.run('INSERT INTO erased_accounts VALUES (1, 0)')
  s.refuse({}, 3)
  s.refuse({ account_id: 2, key_id: 2 })
  await s.written()
  expect(s.rows()).toMatchObject([{ account_id: 2 }])
  expect(s.warnings).toEqual([])
})

test('after 30 days a sweep deletes rows and sums, minutes after hours', async () => {
  const s = recording()
  s.refuse()
  await s.written()
  s.pass(4 * HOUR_MS)
  await s.sweep()
  expect([s.rows().length, s.sums(3_600).length, s.sums(60).length]).toEqual([1, 1, 0])
  s.pass(27 * DAY_MS)
  s.refuse()
  await s.written()
  s.pass(3 * DAY_MS)
  await s.sweep()
  expect([s.rows().length, s.sums(3_600).length]).toEqual([1, 1])
  expect(s.rows()).toMatchObject([{ request_id: 'req_2' }])
})

test('a failed write is logged as a warning, and later refusals are written', async () => {
  const s = recording()
  s.db.run('PRAGMA query_only = ON')
  s.refuse()
  await s.written()
  expect(s.warnings).toHaveLength(1)
  s.db.run('PRAGMA query_only = OFF')
  s.refuse()
  await s.written()
  expect(s.rows()).toHaveLength(1)
})

test('reasons of all accounts are summed in the order of an index: no table of groups is built', async () => {
  const db = memoryDatabase()
  const prepared: string[] = []
  const prepare = db.prepare.bind(db)
  db.prepare = ((text: string, ...more: []) => {
    prepared.push(text)
    return prepare(text, ...more)
  }) as typeof db.prepare
  expect(await reasonsOfRefused(dbOver(db), { from_ms: 0, until_ms: 1, span: 'hour' }, 5)).toEqual([])
  const [of_all = ''] = prepared.filter((text) => text.includes('group by') && text.includes('+"'))
  const plan = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${of_all}`).all()
  const details = plan.map(({ detail }) => detail)
  expect(details[0]).toContain('COVERING INDEX refusal_sums_by_reason')
  expect(details.filter((detail) => detail.includes('TEMP B-TREE'))).toEqual(['USE TEMP B-TREE FOR ORDER BY'])
})

test('nothing is recorded of an account whose row is locked, but of all others', async () => {
  const { within, refuse, written, rows, sums, warnings } = recording()
  const begin = within.begin.bind(within)
  const busy = new StorageFailure('busy', {
    code: '55P03',
    message: 'canceling statement due to lock timeout',
  })
  within.begin = (work, writing) =>
    Promise.resolve(
      begin(async (tx) => {
        const done = await work(tx)
        if ((await tx.rows('SELECT 1 FROM refusals WHERE account_id = 1')).length > 0)
          throw new Error('locked')
        return done
      }, writing),
    ).catch(() => Promise.reject(busy))
  refuse()
  refuse({ account_id: 2, key_id: 2 })
  await written()
  expect(rows().map(({ account_id }) => account_id)).toEqual([2])
  expect(sums(60)).toMatchObject([{ account_id: 2, refusals: 1 }])
  expect(warnings).toHaveLength(1)
})

test('a closed recorder has written its queue, and records nothing more', async () => {
  const { db, refuse, close, written } = recording()
  refuse()
  await close()
  refuse()
  await written()
  expect(db.query('SELECT count(*) AS count FROM refusals').get()).toEqual({ count: 1 })
})
