// Several gateways at work: keys and charges are exact over all of them, also when one is killed, stands still, or has a wrong clock.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { IS_LONG } from '../support/long.ts'
import { answering, ask, wholePath } from '../support/native.ts'
import { hasPostgres } from '../support/postgres.ts'
import { SEED } from '../support/seed.ts'
import { heldBack } from '../support/upstream.ts'
import { TIMES, type World, world } from './world.ts'

/** Sweeping is half of the work of an idle gateway. */
const SWEEP_EVERY_MS = 1_000
/** More than a gateway may be silent, and than a request may be old. */
const CLOCK_OFF_MS = 90_000
/** The answers under load before a gateway is killed, and after it. */
const MIN_CALLS = IS_LONG ? 60 : 24

const statusOf = (answer: Response): Promise<number> => answer.bytes().then(() => answer.status)

/** The number of recorded calls: of all, or of those with an outcome. */
async function callsIn({ db }: World, outcome = '%'): Promise<number> {
  const [row] = await db.rows<{ calls: number }>(
    'SELECT count(*) AS calls FROM calls WHERE outcome LIKE $outcome',
    { outcome },
  )
  return row?.calls ?? 0
}

describe.if(hasPostgres)('three gateways, two of them with wrong clocks', () => {
  let w: World
  beforeAll(async () => {
    const environment = [0, CLOCK_OFF_MS, -CLOCK_OFF_MS].map((off_ms) => ({
      SWEEP_EVERY_MS,
      CLOCK_OFF_MS: off_ms,
    }))
    w = await world({ script: answering, environment })
  })
  afterAll(() => w[Symbol.asyncDispose]())

  // The first test: no hold has expired before.
  test('neither expire nor refuse the holds of the others', async () => {
    const key = await w.caller('100')
    for (let at = 0; at < 20; at += 1)
      expect(await w.call(at, wholePath(), ask(), key).then(statusOf)).toBe(200)
    await Bun.sleep(SWEEP_EVERY_MS * 2)
    await w.rest()
    const [row] = await w.db.rows<{ first: number; last: number; now_ms: number; expired: number }>(
      `SELECT min(started_at_ms) AS first, max(started_at_ms) AS last, now_ms() AS now_ms,
              (SELECT count(*) FROM holds) AS expired FROM calls`,
    )
    expect(row?.expired).toBe(0)
    expect(Math.abs((row?.now_ms ?? 0) - (row?.first ?? 0))).toBeLessThan(30_000)
    expect(Math.abs((row?.now_ms ?? 0) - (row?.last ?? 0))).toBeLessThan(30_000)
  })

  test('send the provider one call for an Idempotency-Key that reaches all of them at once', async () => {
    const [seen, calls] = [w.upstream.requests.length, await callsIn(w)]
    const key = await w.caller('100')
    const count = IS_LONG ? 200 : 20
    for (let at = 0; at < count; at += 1) {
      const send = (member: number): Promise<number> =>
        w.call(member, wholePath(), ask(), key, { 'idempotency-key': `key-${at}` }).then(statusOf)
      const statuses = await Promise.all([send(0), send(1), send(2)])
      expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([])
      expect(statuses).toContain(200)
    }
    expect(w.upstream.requests.length).toBe(seen + count)
    await w.rest()
    expect(await callsIn(w)).toBe(calls + count)
  })

  test('refuse the start of one more while files are in folders, and serve on', async () => {
    const key = await w.caller('100')
    await expect(w.join({ REFUSES_OTHERS: 1 })).rejects.toThrow('Another gateway serves this database')
    for (const member of [0, 1, 2])
      expect(await w.call(member, wholePath(), ask(), key).then(statusOf)).toBe(200)
    await w.rest()
  })

  test('of which one stands still for too long: it charges its call late, once, and goes on', async () => {
    const [still] = w.members
    const { script, release } = heldBack(answering)
    const key = await w.caller('100')
    w.upstream.answer(script)
    w.upstream.requests.length = 0
    const call = w.call(0, wholePath(), ask(), key)
    await w.upstream.waitForRequest(1)
    w.upstream.answer(answering)
    still?.signal('SIGSTOP')
    await eventually('its hold expires', async () => {
      const [row] = await w.db.rows<{ holds: number }>(
        "SELECT count(*) AS holds FROM holds WHERE state = 'expired'",
      )
      return row?.holds === 1
    })
    still?.signal('SIGCONT')
    release()
    expect(await call.then(statusOf)).toBe(200)
    await w.rest()
    const calls = await w.db.rows<{ outcome: string; cost_nanos: number }>(
      'SELECT outcome, cost_nanos FROM calls WHERE account_id = (SELECT max(id) FROM accounts)',
    )
    expect(calls.map(({ outcome, cost_nanos }) => [outcome, cost_nanos > 0])).toEqual([['completed', true]])
    expect(await w.call(0, wholePath(), ask(), key).then(statusOf)).toBe(200)
    expect((await still?.log())?.includes('other gateways treated this one as stopped')).toBe(true)
    await w.rest()
  })

  // The last test of these three gateways: one of them dies here.
  test('charge every acknowledged answer once and free all holds after one of them is killed under load', async () => {
    const calls_before = await callsIn(w, 'completed')
    const key = await w.caller('100')
    const victim = SEED % 3
    const others = w.members.filter((_, at) => at !== victim)
    const reportsOfDead = async () =>
      (await Promise.all(others.map((member) => member.log()))).join('').split('is treated as stopped').length
    const reports_before = await reportsOfDead()
    let answered = 0
    let ends = false
    const load = Array.from({ length: 12 }, async (_, lane) => {
      while (!ends) {
        const done = await w.call(lane, wholePath(), ask(), key).then(statusOf, () => 0)
        if (done === 200) answered += 1
        else await Bun.sleep(20)
      }
    })
    await eventually('they work', () => answered > MIN_CALLS)
    w.members[victim]?.signal('SIGKILL')
    const before = answered
    await eventually('the others go on', () => answered > before + MIN_CALLS)
    ends = true
    await Promise.all(load)
    await w.rest()
    const calls = (await callsIn(w, 'completed')) - calls_before
    // It may have settled its last calls without their answers arriving.
    expect(calls).toBeGreaterThanOrEqual(answered)
    expect(calls).toBeLessThanOrEqual(answered + 12)
    await eventually('the others consider it dead', async () => (await reportsOfDead()) > reports_before)
  })
})

describe.if(hasPostgres)('a start', () => {
  test('in place of a gateway killed on another machine is refused until that one has been silent for long enough', async () => {
    await using w = await world({ gateways: 1, script: answering })
    const key = await w.caller('100')
    w.members[0]?.signal('SIGKILL')
    await w.members[0]?.ended
    // The other one stays alive, however long a start takes on a busy machine.
    const seen = setInterval(() => {
      void w.db.write((db) => db.rows('UPDATE gateways SET seen_at_ms = now_ms() WHERE ended_at_ms IS NULL'))
    }, TIMES.BEAT_EVERY_MS)
    await expect(w.join({ REFUSES_OTHERS: 1 })).rejects.toThrow('Another gateway serves this database')
    clearInterval(seen)
    await Bun.sleep(TIMES.SILENT_AFTER_MS)
    await w.join({ REFUSES_OTHERS: 1 })
    expect(await w.call(1, wholePath(), ask(), key).then(statusOf)).toBe(200)
    await w.rest()
  })
})
