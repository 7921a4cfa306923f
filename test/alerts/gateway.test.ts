// Alerts of a running gateway: a failing provider raises one, which is sent, visible to the operator alone, and over once it answers.
import { expect, test } from 'bun:test'
import { alertSettings } from '../../plugins/alerts/settings.ts'
import { watchAlerts } from '../../plugins/alerts/watch.ts'
import { plugins } from '../../plugins/index.ts'
import { closeAccount } from '../../src/access/closing.ts'
import { catalogueOf, PROVIDER } from '../support/catalogue.ts'
import { signedIn } from '../support/console-session.ts'
import { startTestGateway } from '../support/gateway.ts'
import { answering, ask, wholePath } from '../support/native.ts'
import { gatewaySpy, pluginsOver, withoutEvents } from '../support/plugins.ts'
import { refusal, startUpstream } from '../support/upstream.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const CALLS = 5
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** Plugins whose alerts miss the start, so that only the test checks and sends. On a busy machine, the gateway's own sender interfered. */
const QUIET_PLUGINS = plugins.flatMap((plugin) =>
  plugin.name === 'alerts' ? pluginsOver([plugin], withoutEvents) : plugin,
)

/** The time to noon (UTC) of this day, so that the test's spending is all of one day. */
const toNoonMs = (): number => DAY_MS / 2 - (Date.now() % DAY_MS)

test('a failing model is reported once, and so is its end', async () => {
  await using upstream = await startUpstream(answering)
  const spy = gatewaySpy()
  let ahead_ms = toNoonMs()
  await using gateway = await startTestGateway({
    now: () => Date.now() + ahead_ms,
    catalogue: catalogueOf({
      upstream_url: upstream.url,
      more: `[alerts]\nwebhook_url = "https://hooks.example.com/in"\nwebhook_secret = "env:HOOK_SECRET"\naccount_daily_usd = 0.000001\n`,
    }),
    env: { HOOK_SECRET: SECRET },
    postWebhook: async () => 418,
    plugins: [...QUIET_PLUGINS, spy.plugin],
  })
  const receiver = { answers: Promise.resolve() }
  const messages: { type: string; data: { rule: string; subject: string } }[] = []
  const alerts = watchAlerts({
    gateway: spy.gateway(),
    settings: () => alertSettings.of(spy.gateway().calls.catalogue()),
    every_ms: DAY_MS,
    post: async (_, { body }) => {
      await receiver.answers
      messages.push(JSON.parse(body))
      return 204
    },
  })
  const key = await gateway.caller('10')
  const call = async () => void (await (await gateway.call(wholePath(), ask(), { key })).text())
  upstream.answer(refusal(500))
  for (let at = 0; at < CALLS; at++) await call()
  await gateway.rest()
  for (let at = 0; at < 2; at++) {
    ahead_ms += MINUTE_MS
    await alerts.look()
    await alerts.send()
  }
  const names = () => messages.map(({ type, data: { rule, subject } }) => `${type} ${rule} ${subject}`)
  expect(names()).toEqual([`alert.raised failing_provider ${PROVIDER}`])

  upstream.answer(answering)
  await call()
  await gateway.rest()
  const silence = Promise.withResolvers<void>()
  receiver.answers = silence.promise
  for (let at = 0; at < 12; at++) {
    ahead_ms += MINUTE_MS
    await alerts.look()
  }
  const [account] = gateway.rows().accounts
  // A receiver that does not answer delays no check.
  expect((await (await signedIn(gateway, 'operator')).json('GET', '/alerts')).open).toMatchObject([
    { rule: 'account_spend', subject: account?.name },
  ])
  expect(messages).toHaveLength(1)
  silence.resolve()
  // The message under way, and the ones that became due behind it.
  for (let at = 0; at < 2; at++) await alerts.send()
  await alerts.stop()
  expect(names().slice(1)).toEqual([
    `alert.raised account_spend ${account?.name}`,
    `alert.ended failing_provider ${PROVIDER}`,
  ])

  const view = await (await signedIn(gateway, 'operator')).json('GET', '/alerts')
  expect(view).toMatchObject({
    open: [{ rule: 'account_spend', subject: account?.name, account_id: account?.id, ended_at_ms: null }],
    webhook: 'hooks.example.com',
  })
  expect(view.recent).toHaveLength(2)
  expect(await (await signedIn(gateway, 'operator')).json('POST', '/alerts/test')).toMatchObject({
    status: 418,
    failure: 'The receiver answered 418.',
  })
  expect(
    (await (await signedIn(gateway, { account: account?.name ?? '' })).send('POST', '/alerts/test')).status,
  ).toBe(403)
  expect(
    view.sendings.map(({ state, status }: { state: string; status: number }) => [state, status]),
  ).toEqual(Array.from({ length: 3 }, () => ['sent', 204]))
  expect(gateway.log.text()).not.toContain(SECRET)
})

test('a finding about an account is an alert of that account, and over once the account is closed', async () => {
  await using upstream = await startUpstream(answering)
  const spy = gatewaySpy()
  let ahead_ms = 0
  await using gateway = await startTestGateway({
    now: () => Date.now() + ahead_ms,
    upstream,
    plugins: [...QUIET_PLUGINS, spy.plugin],
  })
  const { id } = await gateway.account('alice')
  await gateway.store.begin((tx) =>
    tx.rows(
      `INSERT INTO automatic_top_ups (account_id, is_on, below_nanos, provider, currency, amount_minor, month_limit_minor, failures, failure, off_reason, next_try_at_ms, changed_at_ms)
       VALUES ($id, 0, 5, 'stripe', 'EUR', 1000, 2000, 3, 'declined: alice', 'failures', 0, 5)`,
      { id },
    ),
  )
  const alerts = watchAlerts({
    gateway: spy.gateway(),
    settings: () => alertSettings.of(spy.gateway().calls.catalogue()),
    post: async () => 204,
    every_ms: DAY_MS,
  })
  const raised = () =>
    gateway.store.rows(
      "SELECT account_id, subject, sentence FROM alerts WHERE rule = 'automatic_top_up' AND over_since_ms IS NULL",
    )
  await alerts.look()
  const subject = 'automatic top-up of alice'
  const sentence = expect.stringMatching(
    /^The automatic top-up of alice is off, .+: declined: alice\. Nothing/,
  )
  expect(await raised()).toEqual([{ account_id: id, subject, sentence }])
  await closeAccount(gateway.store, 'alice', Date.now())
  ahead_ms += MINUTE_MS
  await alerts.look()
  expect(await raised()).toEqual([])
  await alerts.stop()
})
