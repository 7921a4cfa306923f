// A rolling upgrade: newer programs replace older ones one by one, while all serve; and older ones that cannot use the new tables.
import { describe, expect, test } from 'bun:test'
import { NEWEST } from '../../src/store/engines/postgres/migrate.ts'
import { eventually } from '../support/eventually.ts'
import { IS_LONG } from '../support/long.ts'
import { answering, ask, wholePath } from '../support/native.ts'
import { hasPostgres } from '../support/postgres.ts'
import { type Member, RARE_SWEEPS, type World, world } from './world.ts'

const NEWER_VERSION = '99.0.0'
const CALLS_BETWEEN = IS_LONG ? 400 : 40
/** With two, an older program serves beside a newer one, and each is replaced once. */
const GATEWAYS = IS_LONG ? 3 : 2
/** Outside the suite gateways start from their source, which takes 2 s of a processor each. */
const MAX_TEST_MS = 180_000
/** Between two calls of a lane: short while a gateway stops and after one has started, longer during a start, which needs the machine. */
const PAUSE_MS = 25
const PAUSE_AT_START_MS = 150

/** Errors from a gateway that is stopping or has stopped: it has not served the call. */
const OF_A_STOP =
  /^(ECONNREFUSED|ECONNRESET|ConnectionRefused|ConnectionClosed)$|The gateway is restarting\. Please retry\./

const versionsIn = async ({ db }: World): Promise<string[]> => {
  const rows = await db.rows<{ version: string }>(
    'SELECT version FROM gateways WHERE ended_at_ms IS NULL ORDER BY id',
  )
  return rows.map(({ version }) => version)
}
const schemaIn = async ({ db }: World) =>
  (await db.rows<{ version: number; readable_from: number }>('SELECT version, readable_from FROM schema'))[0]

describe.if(hasPostgres)('a rolling upgrade', () => {
  test(
    `of ${GATEWAYS} gateways under load answers each call, and charges it once`,
    async () => {
      const environment = Array.from({ length: GATEWAYS }, () => RARE_SWEEPS)
      await using w = await world({ gateways: GATEWAYS, script: answering, environment })
      const key = await w.caller('1000')
      const places: Member[] = [...w.members]
      const answered = new Map<Member, number>()
      const errors: string[] = []
      let [sent, done, ends, pause_ms] = [0, 0, false, PAUSE_MS]
      /** Like a client with several addresses: it retries at the next one, under the same key. */
      const call = async (at: number) => {
        sent += 1
        const idempotency_key = `call-${sent}`
        for (let turn = at; ; turn += 1) {
          const member = places[turn % places.length] as Member
          const error = await fetch(new URL(wholePath(), member.url), {
            method: 'POST',
            headers: {
              authorization: `Bearer ${key}`,
              'content-type': 'application/json',
              'idempotency-key': idempotency_key,
            },
            body: JSON.stringify(ask()),
          }).then(
            async (answer) => (answer.ok ? void (await answer.bytes()) : await answer.text()),
            (failure: Error & { code: string }) => failure.code,
          )
          if (error === undefined) {
            answered.set(member, (answered.get(member) ?? 0) + 1)
            done += 1
            return
          }
          errors.push(error)
          await Bun.sleep(20)
        }
      }
      const lanes = Array.from({ length: 6 }, async (_, lane) => {
        while (!ends) {
          await call(lane + sent)
          await Bun.sleep(pause_ms)
        }
      })
      const expectMore = async (members: readonly Member[]) => {
        const before = members.map((member) => answered.get(member) ?? 0)
        await eventually('each of them answers more', () =>
          members.every((member, at) => (answered.get(member) ?? 0) >= (before[at] ?? 0) + CALLS_BETWEEN / 4),
        )
      }
      await expectMore(places)
      for (const [at, older] of w.members.slice(0, GATEWAYS).entries()) {
        older.signal('SIGTERM')
        expect(await older.ended).toBe(0)
        pause_ms = PAUSE_AT_START_MS
        places[at] = await w.join({ NEWER: 1, ...RARE_SWEEPS }, older.folder)
        pause_ms = PAUSE_MS
        expect(await schemaIn(w)).toEqual({ version: NEWEST + 1, readable_from: NEWEST })
        expect((await versionsIn(w)).filter((version) => version === NEWER_VERSION)).toHaveLength(at + 1)
        // The older programs go on with the tables of the newer one.
        await expectMore(places)
      }
      ends = true
      await Promise.all(lanes)
      await w.rest()
      const [row] = await w.db.rows<{ calls: number; added: number }>(
        'SELECT count(*) AS calls, (SELECT min(added) FROM accounts) AS added FROM calls',
      )
      expect({ ...row, done }).toEqual({ calls: sent, added: 7, done: sent })
      expect(w.upstream.requests.length).toBe(sent)
      expect(errors.filter((error) => !OF_A_STOP.test(error))).toEqual([])
      expect(await versionsIn(w)).toEqual(Array.from({ length: GATEWAYS }, () => NEWER_VERSION))
    },
    MAX_TEST_MS,
  )

  test('to tables that older programs cannot use: they refuse calls and say why; a call under way is not charged, and the newer one settles it', async () => {
    const held = Promise.withResolvers<void>()
    let is_first = true
    await using w = await world({
      gateways: 1,
      // A stop waits for a settlement that cannot be written.
      server: 'shutdown_timeout_ms = 1000',
      script: async (seen) => {
        if (is_first) {
          is_first = false
          await held.promise
        }
        return answering(seen)
      },
    })
    const key = await w.caller('100')
    const [older] = w.members as [Member]
    const call = w.call(0, wholePath(), ask(), key)
    // It is awaited below: unhandled, it would hide the error that ends the test and its gateways earlier.
    call.catch(() => {})
    await w.upstream.waitForRequest(1)
    const newer = await w.join({ NEWER: 1, READABLE_FROM: 1 })
    expect(await schemaIn(w)).toEqual({ version: NEWEST + 1, readable_from: NEWEST + 1 })
    await eventually('the older one says that it cannot go on', async () =>
      (await older.log()).includes('this gateway accepts no more calls: start the newer program'),
    )
    const ready = await fetch(new URL('/readyz', older.url))
    expect([ready.status, await ready.text()]).toEqual([
      503,
      expect.stringContaining('a newer program changed the tables, and this one cannot use them'),
    ])
    expect((await w.call(0, wholePath(), ask(), key)).status).toBe(503)
    held.resolve()
    const answer = await call
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringContaining('Nothing was charged; please try again.'),
    ])
    older.signal('SIGTERM')
    expect(await older.ended).toBe(0)
    await expect(w.join({}, older.folder)).rejects.toThrow('A newer program wrote it: run that one')
    await w.join({ NEWER: 1, READABLE_FROM: 1 }, older.folder)
    await w.rest()
    expect(await w.db.rows('SELECT outcome, cost_nanos FROM calls')).toEqual([
      { outcome: 'failed', cost_nanos: 0 },
    ])
    expect((await fetch(new URL('/readyz', newer.url))).status).toBe(200)
  })
})
