// The last answers of routes and keys in the database: over a restart, by two gateways that write at the same moment, and over a database that cannot be written.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { isRejected, outageOf } from '../../plugins/health/outage.ts'
import { openRecentAnswers, type RecentAnswers } from '../../plugins/health/recent-answers.ts'
import type { CallRecord } from '../../src/money/ledger/operations.ts'
import type { Db } from '../../src/store/db.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { post } from '../money/ledger/world.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { memoryLog } from '../support/memory-log.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'

setDefaultTimeout(60_000)

const START_MS = 1_800_000_000_000
const DAY_MS = 24 * 3_600_000

const clock = { now_ms: START_MS }
const open = (db: Db) => openRecentAnswers(db, { now: () => clock.now_ms, log: memoryLog().log })
const markOf = (key_id: string) => `mark of ${key_id}`

/** Ends a call a second later: by an answer of the route, or by failed tries at it, with a key each. */
function call(to: RecentAnswers, result: string, ...keys: string[]): void {
  clock.now_ms += 1_000
  const tried = keys.map((key) => ({
    provider: 'a',
    model: 'u',
    key,
    at_ms: 0,
    took_ms: 1,
    failure_class: result === 'answered' ? 'bad_key' : result,
    status: 401,
  }))
  const answered = result === 'answered'
  const fields: Partial<CallRecord> = {
    model: 'm',
    provider: answered ? 'a' : '',
    upstream_model: answered ? 'u' : '',
    outcome: answered ? 'completed' : 'failed',
    status: answered ? 200 : result === 'bad_request' ? 400 : 502,
    started_at_ms: clock.now_ms,
    duration_ms: 0,
    failed_tries: tried.length,
    trace: tried.length === 0 ? '' : JSON.stringify({ tried }),
  }
  to.add(post(1, 0, fields).call, answered ? 'a#2' : undefined, markOf)
}

async function outageIn(recent: RecentAnswers) {
  const { routes } = await recent.states()
  const state = routes.get('["route","m","a","u"]')
  return state && outageOf(state, clock.now_ms)
}

const ENGINES: [string, () => Promise<{ dbs: Db[]; end: () => Promise<void> }>][] = [
  [
    'SQLite',
    async () => {
      const db = dbOver(memoryDatabase())
      return { dbs: [db, db], end: async () => undefined }
    },
  ],
]
if (hasPostgres)
  ENGINES.push([
    'PostgreSQL',
    async () => {
      const { name, url } = await makeDatabase()
      const dbs = [await openPostgres(url), await openPostgres(url)]
      const end = async () => {
        await Promise.all(dbs.map((db) => db.close()))
        await dropDatabase(name)
      }
      return { dbs, end }
    },
  ])

describe.each(ENGINES)('on %s', (_, start) => {
  const started = start()
  afterAll(async () => (await started).end())
  const of = async (gateway: number) => (await started).dbs[gateway] as Db

  test('answers are the same before and after they are written, and over a restart; a good one ends the outage', async () => {
    const first = open(await of(0))
    for (let at = 0; at < 5; at++) call(first, 'overloaded', 'a#1')
    const outage = await outageIn(first)
    expect(outage).toMatchObject({ of: 'row', failed: 5, causes: { overloaded: 5 } })
    await first.close()
    const again = open(await of(0))
    expect(await outageIn(again)).toEqual(outage)
    call(again, 'answered')
    expect(await outageIn(again)).toBeUndefined()
    await again.close()
    expect(await outageIn(open(await of(0)))).toBeUndefined()
  })

  test('two gateways count together, though they write at the same moment', async () => {
    clock.now_ms += DAY_MS
    const [one, other] = [open(await of(0)), open(await of(1))]
    for (let at = 0; at < 6; at++) call(at % 2 === 0 ? one : other, 'timed_out', 'a#1')
    expect(await outageIn(one)).toBeUndefined()
    for (let at = 0; at < 3; at++) await Promise.all([one.write(), other.write()])
    for (const each of [one, other])
      expect(await outageIn(each)).toMatchObject({ of: 'row', failed: 5, causes: { timed_out: 5 } })
    call(other, 'answered')
    await other.write()
    expect(await outageIn(one)).toBeUndefined()
    await Promise.all([one.close(), other.close()])
  })

  test('a call that answers at its second key is an answer of the route, and a rejection of the first key', async () => {
    clock.now_ms += DAY_MS
    const [one, other] = [open(await of(0)), open(await of(1))]
    for (let at = 0; at < 12; at++) call(one, 'answered', 'a#1')
    expect(await outageIn(one)).toBeUndefined()
    await one.write()
    const { keys } = await other.states()
    expect(keys.get('["key","a#1","mark of a#1"]')).toMatchObject({ rejected: 12 })
    expect(keys.get('["key","a#2","mark of a#2"]')).toBeUndefined()
    await Promise.all([one.close(), other.close()])
  })

  test('bad requests that were refused are no answers, however many', async () => {
    clock.now_ms += DAY_MS
    const recent = open(await of(0))
    for (let at = 0; at < 20; at++) call(recent, 'bad_request', 'a#1')
    expect(await outageIn(recent)).toBeUndefined()
    for (let at = 0; at < 5; at++) call(recent, 'overloaded', 'a#1')
    for (let at = 0; at < 5; at++) call(recent, 'bad_request', 'a#1')
    expect(await outageIn(recent)).toMatchObject({ failed: 5 })
    await recent.close()
  })

  test('a tested route has answered, and so has its key', async () => {
    clock.now_ms += DAY_MS
    const recent = open(await of(0))
    for (let at = 0; at < 5; at++) call(recent, 'bad_key', 'a#1')
    expect(await outageIn(recent)).toBeUndefined()
    for (let at = 0; at < 5; at++) call(recent, 'overloaded', 'a#1')
    expect(await outageIn(recent)).toMatchObject({ causes: { overloaded: 5 } })
    clock.now_ms += 1_000
    const key = { key_id: 'a#1', mark: markOf('a#1') }
    recent.addTest(['m', 'n'], { provider: 'a', upstream_model: 'u' }, key)
    expect(await outageIn(recent)).toBeUndefined()
    const { keys } = await recent.states()
    expect(keys.get('["key","a#1","mark of a#1"]')).toMatchObject({ answered_ms: clock.now_ms })
    await recent.close()
  })

  test('a key that was rejected before a restart works from the first answer after it', async () => {
    clock.now_ms += DAY_MS
    const isRejectedIn = async (recent: RecentAnswers) => {
      const state = (await recent.states()).keys.get('["key","a#2","mark of a#2"]')
      return state && isRejected(state, clock.now_ms)
    }
    const first = open(await of(0))
    call(first, 'bad_key', 'a#2', 'a#2')
    expect((await first.states()).keys.get('["key","a#2","mark of a#2"]')).toMatchObject({ rejected: 1 })
    await first.close()
    const again = open(await of(0))
    expect(await isRejectedIn(again)).toBe(true)
    call(again, 'answered')
    expect(await isRejectedIn(again)).toBe(false)
    await again.close()
    expect(await isRejectedIn(open(await of(0)))).toBe(false)
  })

  test('rows of yesterday are deleted', async () => {
    clock.now_ms += 2 * DAY_MS
    const recent = open(await of(0))
    call(recent, 'answered')
    await recent.write()
    const { routes, keys } = await recent.states()
    expect([...routes.keys(), ...keys.keys()].sort()).toEqual([
      '["route","m","",""]',
      '["route","m","a","u"]',
    ])
    await recent.close()
  })
})

test('if answers cannot be written, the gateway goes on, warns once, and writes later ones', async () => {
  const database = memoryDatabase()
  const { log, lines } = memoryLog()
  const recent = openRecentAnswers(dbOver(database), { now: () => clock.now_ms, log })
  database.run('PRAGMA query_only = ON')
  for (let at = 0; at < 3; at++) {
    call(recent, 'overloaded', 'a#1')
    await recent.write()
  }
  expect(lines().map(({ level }) => level)).toEqual(['warn'])
  database.run('PRAGMA query_only = OFF')
  for (let at = 0; at < 5; at++) call(recent, 'overloaded', 'a#1')
  await recent.write()
  expect(await outageIn(recent)).toMatchObject({ failed: 5 })
  await recent.close()
})
