// Failed calls on the pages of accounts, keys, models and providers: counts, with causes as the viewer may know them; lists and sums in days of a time zone.
import { afterAll, describe, expect, test } from 'bun:test'
import { MODEL } from '../support/catalogue.ts'
import { signedIn } from '../support/console-session.ts'
import { fileGateway } from '../support/gateway.ts'
import { answering, ask, piece, streamPath, wholePath } from '../support/native.ts'
import { type Answer, refusal, startUpstream, stream } from '../support/upstream.ts'

const HOUR_MS = 3_600_000
let next: Answer | undefined
const upstream = await startUpstream((seen) => next ?? answering(seen))
/** A day with 25 hours in New York, which begins at 04:00 UTC. https://www.iana.org/time-zones */
const LONG_DAY_MS = Date.UTC(2026, 10, 1, 4)
let at_ms = LONG_DAY_MS - 2 * HOUR_MS
const gateway = await fileGateway({ upstream, now: () => at_ms })
afterAll(() => upstream[Symbol.asyncDispose]())
await gateway.account('alice', { balance_usd: '10' })
await gateway.account('bob', { balance_usd: '10' })
const keys = { alice: await gateway.key('alice'), bob: await gateway.key('bob') }

async function call(key: string, answer?: Answer, path = wholePath()): Promise<void> {
  next = answer
  const response = await gateway.call(path, ask(), { key })
  await response.arrayBuffer().catch(() => undefined)
  next = undefined
  // Past the cooldown of the key that failed.
  at_ms += HOUR_MS / 2
}

/** A call each half hour: of 27 hours, the 25 in the middle are one day in New York. */
for (let nth = 0; nth < 50; nth++) await call(nth % 2 ? keys.alice : keys.bob)
await call(keys.alice, refusal(401))
await call(keys.alice, refusal(401))
await call(keys.alice, refusal(500))
await call(keys.bob, refusal(504))
await call(keys.alice, stream({ event: piece('Hel') }, 'reset'), streamPath())
await gateway.rest()

const operator = await signedIn(gateway, 'operator')
const alice = await signedIn(gateway, { account: 'alice' })
const FAILED = "outcome IN ('failed', 'broken')"
const countBy = (where: string): number =>
  gateway.db.query<{ n: number }, []>(`SELECT count(*) AS n FROM calls WHERE ${where}`).get()?.n ?? 0

describe('failed calls', () => {
  test.each<[query: string, where: string, causes: [string, number][]]>([
    [
      '',
      'true',
      [
        ['key_rejected', 2],
        ['interrupted', 1],
        ['provider_error', 1],
      ],
    ],
    [
      '&account=alice',
      'account_id = 1',
      [
        ['key_rejected', 2],
        ['interrupted', 1],
        ['provider_error', 1],
      ],
    ],
    ['&key=2', 'key_id = 2', [['timeout', 1]]],
    [`&model=${MODEL}&account=bob`, 'account_id = 2', [['timeout', 1]]],
    [
      '&provider=provider-one',
      "(provider = 'provider-one' OR outcome = 'failed')",
      [
        ['key_rejected', 2],
        ['interrupted', 1],
        ['provider_error', 1],
      ],
    ],
    ['&provider=nobody', 'false', []],
  ])('of %p', async (query, where, causes) => {
    const found = await operator.json('GET', `/failed-calls?range=week${query}`)
    expect([found.calls, found.failed]).toEqual([countBy(where), countBy(`${where} AND ${FAILED}`)])
    const sorted = found.causes.map(({ cause, calls }: { cause: string; calls: number }) => [cause, calls])
    expect(sorted).toHaveLength(causes.length)
    for (const [cause, calls] of sorted) expect(calls).toBe(causesOf(where).get(cause))
    expect(sorted.map(([, calls]: [string, number]) => calls)).toEqual(causes.map(([, calls]) => calls))
  })

  test('are the same as in the list of calls, by days of a time zone and by a range of the Overview', async () => {
    const day = 'since=2026-11-01&until=2026-11-01&zone=America/New_York'
    const of_day = `started_at_ms >= ${LONG_DAY_MS} AND started_at_ms < ${LONG_DAY_MS + 25 * HOUR_MS}`
    const found = await operator.json('GET', `/failed-calls?${day}`)
    expect([found.calls, found.failed]).toEqual([countBy(of_day), countBy(`${of_day} AND ${FAILED}`)])
    expect(found.failed).toBe(4)
    expect((await operator.json('GET', `/calls?outcome=failed&${day}`)).calls).toHaveLength(4)
    expect(await operator.json('GET', '/failed-calls?range=30')).toMatchObject({ failed: countBy(FAILED) })
    expect((await operator.send('GET', '/failed-calls?range=7&zone=Mars')).status).toBe(400)
  })

  test('reveal neither keys nor providers to an account', async () => {
    const found = await alice.json('GET', '/failed-calls?range=week')
    expect(found.causes).toEqual([
      { cause: 'provider_error', calls: 3 },
      { cause: 'interrupted', calls: 1 },
    ])
    const refused = await alice.send('GET', '/failed-calls?range=week&provider=provider-one')
    expect(refused.status).toBe(403)
    for (const path of ['account=bob', 'key=2'])
      expect((await alice.send('GET', `/failed-calls?range=week&${path}`)).status).toBe(404)
  })

  test('have their causes in lists, in files and for callers', async () => {
    const { calls } = await operator.json('GET', '/calls?outcome=failed')
    const causes = calls.map(({ cause }: { cause: string }) => cause)
    expect(causes).toEqual(['interrupted', 'timeout', 'provider_error', 'key_rejected', 'key_rejected'])
    const all = await operator.json('GET', '/calls?outcome=completed&limit=1')
    expect(all.calls[0].cause).toBeNull()
    const file = await (await alice.send('GET', '/calls.csv?outcome=failed')).text()
    expect(file.match(/,(?:interrupted|provider_error)(?=[,\r])/g)).toHaveLength(4)
    expect(file).not.toContain('key_rejected')
    const mine = await gateway.call('/api/v1/usage?outcome=failed', undefined, {
      key: keys.alice,
      method: 'GET',
    })
    const body = (await mine.json()) as { calls: { cause: string }[] }
    expect(body.calls.map(({ cause }) => cause)).toEqual(Array(3).fill('provider_error'))
  })
})

/** Causes by the traces themselves. */
function causesOf(where: string): Map<string, number> {
  const rows = gateway.db
    .query<{ outcome: string; trace: string }, []>(
      `SELECT outcome, trace FROM calls WHERE ${where} AND ${FAILED}`,
    )
    .all()
  const causes = rows.map(({ outcome, trace }) =>
    outcome === 'broken'
      ? 'interrupted'
      : trace.includes('bad_key')
        ? 'key_rejected'
        : trace.includes('upstream_timeout')
          ? 'timeout'
          : 'provider_error',
  )
  return new Map([...Map.groupBy(causes, (cause) => cause)].map(([cause, some]) => [cause, some.length]))
}

describe('a day of 25 hours', () => {
  const within = `started_at_ms >= ${LONG_DAY_MS} AND started_at_ms < ${LONG_DAY_MS + 25 * HOUR_MS}`
  const DAY = 'since=2026-11-01&until=2026-11-01'

  test('has the calls of all its hours in lists, in sums and for callers', async () => {
    const made = countBy(within)
    expect(made).toBe(50)
    const zone = 'zone=America/New_York'
    const list = await operator.json('GET', `/calls?${DAY}&${zone}&limit=100`)
    expect(list.calls).toHaveLength(made)
    expect((await operator.json('GET', `/call-sums?${DAY}&${zone}`)).calls).toBe(made)
    const path = `/api/v1/usage?sums=day&${DAY}&${zone}`
    const sums = await gateway.call(path, undefined, { key: keys.alice, method: 'GET' })
    expect(((await sums.json()) as { sums: object[] }).sums).toMatchObject([
      { day: '2026-11-01', calls: countBy(`account_id = 1 AND ${within}`) },
    ])
  })

  test('is another day of UTC', async () => {
    const start_ms = Date.UTC(2026, 10, 1)
    const of_utc = `started_at_ms >= ${start_ms} AND started_at_ms < ${start_ms + 24 * HOUR_MS}`
    expect((await operator.json('GET', `/call-sums?${DAY}`)).calls).toBe(countBy(of_utc))
  })

  test.each(['Mars/Olympus', 'Europe', 'Etc/Unknown'])('%s is refused', async (zone) => {
    const refused = await operator.send('GET', `/calls?${DAY}&zone=${zone}`)
    const { error } = (await refused.json()) as { error: object }
    expect([refused.status, error]).toMatchObject([400, { param: 'zone' }])
  })
})
