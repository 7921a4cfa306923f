// A simulated outage of ten minutes: on a busy and a quiet route, by errors, dropped connections and a rejected key. Red within a minute, one alert, one end.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { alertSettings } from '../../plugins/alerts/settings.ts'
import { watchAlerts } from '../../plugins/alerts/watch.ts'
import { plugins } from '../../plugins/index.ts'
import { catalogueOf, MODEL, PROVIDER } from '../support/catalogue.ts'
import { type ConsoleClient, signedIn } from '../support/console-session.ts'
import { startTestGateway } from '../support/gateway.ts'
import { answering, ask, wholePath } from '../support/native.ts'
import { gatewaySpy } from '../support/plugins.ts'
import { type Answer, refusal, startUpstream } from '../support/upstream.ts'

setDefaultTimeout(60_000)

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
/** The interval of the watch of alerts. */
const LOOK_MS = 15 * SECOND_MS

const upstream = await startUpstream(answering)
const spy = gatewaySpy()
let ahead_ms = 0
const gateway = await startTestGateway({
  now: () => Date.now() + ahead_ms,
  catalogue: catalogueOf({
    upstream_url: upstream.url,
    provider: 'cooldown_ms = 0',
    more: '[alerts]\nwebhook_url = "https://hooks.example.com/in"\nwebhook_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"\n',
  }),
  postWebhook: async () => 204,
  plugins: [...plugins, spy.plugin],
})
const sent: { type: string; data: { rule: string; subject: string; sentence: string } }[] = []
const watch = watchAlerts({
  gateway: spy.gateway(),
  settings: () => alertSettings.of(spy.gateway().calls.catalogue()),
  post: async (_, { body }) => {
    sent.push(JSON.parse(body))
    return 204
  },
})
afterAll(async () => {
  await watch.stop()
  await gateway.stop()
  upstream[Symbol.asyncDispose]()
})
const key = await gateway.caller('10')
const operator = await signedIn(gateway, 'operator')
const account = await signedIn(gateway, { account: gateway.rows().accounts[0]?.name ?? '' })

interface Health {
  troubles: { kind: string; name: string; verb: string; detail: string; test: object | null }[]
  failing_models: { model: string }[]
}
const healthOf = (session: ConsoleClient): Promise<Health> => session.json('GET', '/health')

/** Makes calls of the model at equal intervals for some time, with checks of the watch between them. @returns when an alert was raised */
async function play(answer: Answer | typeof answering, length_ms: number, every_ms: number) {
  upstream.answer(answer)
  const start_ms = ahead_ms
  let red_ms: number | undefined
  for (let call_ms = 0, look_ms = 0; ahead_ms - start_ms < length_ms; ) {
    const next_ms = Math.min(call_ms, look_ms)
    ahead_ms = start_ms + next_ms
    if (next_ms === call_ms) {
      await (await gateway.call(wholePath(), ask(), { key })).text()
      call_ms += every_ms
    }
    if (next_ms !== look_ms) continue
    await watch.look()
    await watch.send()
    look_ms += LOOK_MS
    if (red_ms === undefined && sent.some(({ type }) => type === 'alert.raised')) red_ms = next_ms
  }
  ahead_ms = start_ms + length_ms
  return red_ms
}

const names = () => sent.map(({ type, data }) => `${type} ${data.rule} ${data.subject}`)

const FAILURES: [string, Answer, rule: string, subject: string, sentence: RegExp][] = [
  ['answers 500', refusal(500), 'failing_provider', PROVIDER, /calls .*failed: status 500 \(\d+\)/],
  ['drops connections', { steps: ['reset'] }, 'failing_provider', PROVIDER, /: connection failed \(\d+\)/],
  ['rejects its key', refusal(401), 'rejected_key', `${PROVIDER}#1`, /rejects your key\. \d calls? failed/],
]
/** The interval of calls while the provider works: only the calls of an outage must be dense. */
const CALM_MS = MINUTE_MS
/** The interval of calls in an outage: a call each ten seconds, or five in ten minutes. */
const PACES: [string, number][] = [
  ['busy', 10 * SECOND_MS],
  ['quiet', 2 * MINUTE_MS],
]

describe.each(PACES)('a %s route', (pace, every_ms) => {
  test.each(FAILURES)('whose provider %s for ten minutes', async (_, failure, rule, subject, sentence) => {
    sent.length = 0
    expect(await play(answering, 10 * MINUTE_MS, Math.max(every_ms, CALM_MS))).toBeUndefined()
    const red_ms = await play(failure, 10 * MINUTE_MS, every_ms)
    // From the answer on that makes it an outage: the first rejected key, the fifth failure in a row.
    const failing_ms = rule === 'rejected_key' ? 0 : 4 * every_ms
    expect(red_ms).toBeLessThanOrEqual(failing_ms + MINUTE_MS)
    if (pace === 'busy') expect(red_ms).toBeLessThanOrEqual(MINUTE_MS)
    expect(names()).toEqual([`alert.raised ${rule} ${subject}`])
    expect(sent[0]?.data.sentence).toMatch(sentence)

    const { troubles } = await healthOf(operator)
    expect(troubles).toMatchObject([{ kind: rule === 'rejected_key' ? 'key' : 'provider', name: PROVIDER }])
    expect(troubles[0]?.test).toEqual({ provider: PROVIDER, model: expect.any(String), key: 1 })
    expect(await healthOf(account)).toMatchObject({ troubles: [], failing_models: expect.any(Array) })
    expect((await healthOf(account)).failing_models.map(({ model }) => model)).toContain(MODEL)
    expect(JSON.stringify(await healthOf(account))).not.toContain(PROVIDER)
    const { models } = await account.json('GET', '/models')
    expect(models.find(({ id }: { id: string }) => id === MODEL)).toMatchObject({ health_state: 'failing' })

    // It answers again: the alert ends once, ten minutes after that, and not before.
    const recovery_ms = Math.max(every_ms, CALM_MS)
    await play(answering, 9 * MINUTE_MS, recovery_ms)
    expect((await healthOf(operator)).troubles).toEqual([])
    expect(names()).toHaveLength(1)
    await play(answering, 7 * MINUTE_MS, recovery_ms)
    expect(names()).toEqual([`alert.raised ${rule} ${subject}`, `alert.ended ${rule} ${subject}`])
  })

  test('single errors raise nothing: each third call fails for ten minutes', async () => {
    sent.length = 0
    await play(answering, 6 * MINUTE_MS, every_ms)
    let calls = 0
    const script = (seen: Parameters<typeof answering>[0]) =>
      calls++ % 3 === 2 ? refusal(500) : answering(seen)
    expect(await play(script as typeof answering, 10 * MINUTE_MS, every_ms)).toBeUndefined()
    expect((await healthOf(operator)).troubles).toEqual([])
  })

  test('bad requests that the provider refuses raise nothing either', async () => {
    await play(
      refusal(400, { error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } }),
      10 * MINUTE_MS,
      every_ms,
    )
    expect((await healthOf(operator)).troubles).toEqual([])
    expect(names()).toEqual([])
  })
})

test('a successful test ends the outage of a route without calls, and of its key', async () => {
  await play(refusal(401), MINUTE_MS, 5 * SECOND_MS)
  const [trouble] = (await healthOf(operator)).troubles
  expect(trouble).toMatchObject({ kind: 'key', verb: 'rejects your key' })
  const keyState = async () => (await operator.json('GET', '/providers')).providers[0].keys[0].state
  expect(await keyState()).toBe('rejected')
  expect(await operator.json('POST', '/providers/try', trouble?.test ?? {})).toMatchObject({ ok: false })
  expect((await healthOf(operator)).troubles).toHaveLength(1)
  upstream.answer(answering)
  expect(await operator.json('POST', '/providers/try', trouble?.test ?? {})).toMatchObject({ ok: true })
  expect((await healthOf(operator)).troubles).toEqual([])
  expect(await keyState()).toBe('ready')
})
