// An outage of a busy route over three gateways of one database, on both engines: red within a minute, one alert and one end, though the eldest gateway dies meanwhile.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { OtherGateways } from '../../plugins/alerts/other-gateways.ts'
import { alertSettings } from '../../plugins/alerts/settings.ts'
import { watchAlerts } from '../../plugins/alerts/watch.ts'
import { openRecentAnswers } from '../../plugins/health/recent-answers.ts'
import { outagesOf } from '../../plugins/health/troubles.ts'
import { plugins } from '../../plugins/index.ts'
import type { Db } from '../../src/store/db.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { CATALOGUE, read } from '../catalogue/catalogues.ts'
import { post } from '../money/ledger/world.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { startTestGateway } from '../support/gateway.ts'
import { memoryLog } from '../support/memory-log.ts'
import { gatewaySpy } from '../support/plugins.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'

setDefaultTimeout(180_000)

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const GATEWAYS = 3

const reading = read(CATALOGUE)
if (!('catalogue' in reading)) throw new Error('the catalogue has mistakes')
const { catalogue: sold } = reading
const spy = gatewaySpy()
const started = await startTestGateway({ plugins: [...plugins, spy.plugin] })
afterAll(() => started.stop())
const settings = () => ({
  ...alertSettings.of(spy.gateway().calls.catalogue()),
  webhook: { url: 'https://hooks.example.com/in', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
})

/** Gateways that share a database, with calls, writes and checks at the intervals of running ones. */
function play(dbs: readonly Db[]) {
  let now_ms = Date.UTC(2026, 10, 24, 12)
  let eldest = 0
  const sent: { type: string; at_ms: number; rule: string; subject: string }[] = []
  const { log } = memoryLog()
  const members = dbs.map((db, at) => {
    const recent = openRecentAnswers(db, { now: () => now_ms, log })
    const others: OtherGateways = { machine: `m${at}`, isAlive: () => true, isEldest: () => at === eldest }
    const gateway = spy.gateway()
    const watch = watchAlerts({
      gateway: { ...gateway, db, calls: { ...gateway.calls, now: () => now_ms } },
      settings,
      troubles: async () => outagesOf(sold, await recent.states(), now_ms).troubles,
      post: async (_, { body }) => {
        const { type, data } = JSON.parse(body)
        sent.push({ type, at_ms: now_ms, rule: data.rule, subject: data.subject })
        return 204
      },
      others,
    })
    return { recent, watch }
  })
  const call = (at: number, is_failed: boolean) =>
    members[at]?.recent.add(
      post(1, 0, {
        ...{ model: 'model', started_at_ms: now_ms, duration_ms: 0 },
        ...(is_failed
          ? { provider: '', upstream_model: '', outcome: 'failed', status: 502, failed_tries: 1 }
          : { provider: 'acme', upstream_model: 'upstream' }),
        trace: is_failed
          ? JSON.stringify({
              tried: [
                {
                  provider: 'acme',
                  model: 'upstream',
                  key: 'acme#1',
                  at_ms: 0,
                  took_ms: 1,
                  failure_class: 'overloaded',
                  status: 503,
                },
              ],
            })
          : '',
      }).call,
      undefined,
      () => undefined,
    )

  return {
    sent,
    now: () => now_ms,
    killEldest() {
      eldest += 1
    },
    /**
     * Each living gateway has a call, and writes, every 10 s, and checks every 15 s, at other seconds than the others.
     * @param slower a factor of these intervals
     */
    async pass(length_ms: number, isFailed: (at: number) => boolean, slower = 1) {
      for (const end_ms = now_ms + length_ms; now_ms < end_ms; now_ms += SECOND_MS) {
        const second = Math.floor(now_ms / SECOND_MS)
        for (const [at, { recent, watch }] of members.entries()) {
          if (at < eldest) continue
          if ((second + 3 * at) % (10 * slower) === 0) call(at, isFailed(at))
          if ((second + 3 * at) % (10 * slower) === 5) await recent.write()
          if ((second + 4 * at) % (15 * slower) !== 0) continue
          await watch.look()
          await watch.send()
        }
      }
    },
    async stop() {
      for (const { recent, watch } of members) {
        await watch.stop()
        await recent.close()
      }
    },
  }
}

const ENGINES: [string, () => Promise<{ dbs: Db[]; end: () => Promise<void> }>][] = [
  [
    'SQLite',
    async () => {
      const db = dbOver(memoryDatabase())
      return { dbs: Array<Db>(GATEWAYS).fill(db), end: async () => undefined }
    },
  ],
]
if (hasPostgres)
  ENGINES.push([
    'PostgreSQL',
    async () => {
      const { name, url } = await makeDatabase()
      const dbs = await Promise.all(Array.from({ length: GATEWAYS }, () => openPostgres(url)))
      const end = async () => {
        await Promise.all(dbs.map((db) => db.close()))
        await dropDatabase(name)
      }
      return { dbs, end }
    },
  ])

describe.each(ENGINES)('on %s', (_, open) => {
  test('all gateways count together, and one of them sends the alert', async () => {
    const { dbs, end } = await open()
    const cluster = play(dbs)
    const { sent, pass } = cluster
    await pass(MINUTE_MS, () => false)
    // One gateway alone cannot reach the provider: a third of the answers.
    await pass(3 * MINUTE_MS, (at) => at === 2)
    expect(sent).toEqual([])

    const failing_ms = cluster.now()
    await pass(2 * MINUTE_MS, () => true)
    expect(sent).toMatchObject([{ type: 'alert.raised', rule: 'failing_provider', subject: 'acme' }])
    expect((sent[0]?.at_ms ?? 0) - failing_ms).toBeLessThanOrEqual(MINUTE_MS)
    cluster.killEldest()
    await pass(2 * MINUTE_MS, () => true)
    expect(sent).toHaveLength(1)

    const working_ms = cluster.now()
    await pass(9 * MINUTE_MS, () => false, 3)
    expect(sent).toHaveLength(1)
    await pass(8 * MINUTE_MS, () => false, 3)
    expect(sent.map(({ type, rule, subject }) => [type, rule, subject])).toEqual([
      ['alert.raised', 'failing_provider', 'acme'],
      ['alert.ended', 'failing_provider', 'acme'],
    ])
    expect((sent[1]?.at_ms ?? 0) - working_ms).toBeGreaterThanOrEqual(10 * MINUTE_MS)
    await cluster.stop()
    await end()
  })
})
