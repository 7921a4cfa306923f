// Alerts of several gateways over one database: each is raised and sent once, and alerts of a machine are its own while it is alive.
import { expect, test } from 'bun:test'
import type { OtherGateways } from '../../plugins/alerts/other-gateways.ts'
import { createSender, SENDING_LEASE_MS } from '../../plugins/alerts/sender.ts'
import { alertSettings } from '../../plugins/alerts/settings.ts'
import { applySteps, openAlerts } from '../../plugins/alerts/store.ts'
import { watchAlerts } from '../../plugins/alerts/watch.ts'
import { currentTroubles } from '../../plugins/health/index.ts'
import { plugins } from '../../plugins/index.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { PostWebhook } from '../../src/media/webhook-post.ts'
import type { Db } from '../../src/store/db.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { startTestGateway } from '../support/gateway.ts'
import { memoryLog } from '../support/memory-log.ts'
import { gatewaySpy } from '../support/plugins.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'

const WEBHOOK = {
  url: 'https://hooks.example.com/in',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
}
const settings = () => ({ webhook: WEBHOOK, account_daily_nanos: undefined, key_daily_nanos: undefined })

async function raise(db: Db, count: number, now_ms: number): Promise<void> {
  const conditions = Array.from({ length: count }, (_, at) => ({
    rule: 'low_balance' as const,
    subject: `account-${at}`,
    account_id: null,
    sentence: 'It is low.',
  }))
  let id = 0
  await applySteps(
    db,
    { raise: conditions, over: [], back: [], end: [] },
    { now_ms, newWebhookId: () => `msg_${++id}` },
  )
}

function senderOf(db: Db, post: PostWebhook, clock: { now_ms: number }) {
  const { log } = memoryLog()
  return createSender({ db, settings, post, now: () => clock.now_ms, log, has_others: true })
}

test.if(hasPostgres)('alerts that five gateways send at the same moment are sent once each', async () => {
  const { name, url } = await makeDatabase()
  const dbs = await Promise.all(Array.from({ length: 5 }, () => openPostgres(url)))
  const sent: string[] = []
  const post: PostWebhook = async (_, { headers }) => {
    sent.push(headers['webhook-id'] ?? '')
    await Bun.sleep(2)
    return 204
  }
  await raise(dbs[0] as Db, 12, 5)
  await Promise.all(dbs.map((db) => senderOf(db, post, { now_ms: 5 }).sendDue()))
  expect(sent.toSorted()).toEqual(Array.from({ length: 12 }, (_, at) => `msg_${at + 1}`).toSorted())
  await Promise.all(dbs.map((db) => db.close()))
  await dropDatabase(name)
})

test.each([
  ['that is killed meanwhile is sent by another once its time is over', false, SENDING_LEASE_MS],
  ['that stops meanwhile is sent by another at once', true, 0],
])('an alert being sent by a gateway %s', async (_, stops, after_ms) => {
  const db = dbOver(memoryDatabase())
  const clock = { now_ms: 1_000 }
  const { promise: requested, resolve: markRequested } = Promise.withResolvers<void>()
  const first = senderOf(
    db,
    (_, __, signal) => {
      markRequested()
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('stopped'))))
    },
    clock,
  )
  let sent = 0
  const receive = async () => {
    sent += 1
    return 204
  }
  const second = senderOf(db, receive, clock)
  await raise(db, 1, clock.now_ms)
  void first.sendDue()
  await requested
  await second.sendDue()
  expect(sent).toBe(0)
  if (stops) await first.stop()
  clock.now_ms += Math.max(0, after_ms - 1)
  if (after_ms > 0) await second.sendDue()
  expect(sent).toBe(0)
  clock.now_ms += 1
  await second.sendDue()
  await second.sendDue()
  expect(sent).toBe(1)
})

test('an alert of one machine is not ended by another, unless no gateway is alive there; the eldest checks conditions of all', async () => {
  const spy = gatewaySpy()
  await using started = await startTestGateway({ plugins: [...plugins, spy.plugin] })
  const made = spy.gateway()
  const { calls } = made
  const bad = {
    ...calls.catalogue(),
    server: { ...calls.catalogue().server, tls_certificate: '/none', tls_key: '/none' },
  }
  const checking_machines: string[] = []
  const alive = new Set(['one', 'other'])
  const watch = (machine: string, is_bad: boolean, is_eldest: boolean) => {
    const gateway = {
      ...(made as Gateway),
      calls: is_bad ? { ...calls, catalogue: () => bad } : calls,
    }
    const others: OtherGateways = { machine, isAlive: (name) => alive.has(name), isEldest: () => is_eldest }
    return watchAlerts({
      gateway,
      settings: () => alertSettings.of(gateway.calls.catalogue()),
      troubles: async () => {
        checking_machines.push(machine)
        return await currentTroubles(made as Gateway)
      },
      post: async () => 204,
      others,
    })
  }
  const one = watch('one', true, false)
  const other = watch('other', false, true)
  await one.look()
  await other.look()
  const open = async () =>
    (await openAlerts(started.store)).map(({ rule, subject, over_since_ms }) => [
      rule,
      subject,
      over_since_ms !== null,
    ])
  expect(await open()).toEqual([['certificate', 'one', false]])
  expect((await openAlerts(started.store))[0]?.sentence).toStartWith('Certificate on one: ')
  expect(checking_machines).toEqual(['other'])
  alive.delete('one')
  const third = watch('third', false, false)
  await third.look()
  expect(await open()).toEqual([['certificate', 'one', true]])
  for (const alerts of [one, other, third]) await alerts.stop()
})
