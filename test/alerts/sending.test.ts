// The sending of alerts: once for each event, tried again for a day and then given up, over restarts; kept for thirty days.
import { describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { createSender, RETRY_AFTER_MS } from '../../plugins/alerts/sender.ts'
import { applySteps, openAlerts, recentAlerts, recentSendings } from '../../plugins/alerts/store.ts'
import { createWebhookTest } from '../../plugins/alerts/test-message.ts'
import { createWebhookPost, type PostWebhook } from '../../src/media/webhook-post.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { PUBLIC_ADDRESSES, send } from '../media/remote-support.ts'
import { AUTHORITY, serveTls } from '../media/tls-server.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { memoryLog } from '../support/memory-log.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const WEBHOOK = { url: 'https://images.example.com/hook', secret: SECRET }
const DAY_MS = 86_400_000
const NOTHING = { raise: [], over: [], back: [], end: [] }
const LOW = {
  rule: 'low_balance',
  subject: 'alice',
  account_id: null,
  sentence: 'alice has no balance left.',
} as const

/** The answer of a receiver: a status, or a failure of the connection. */
type Answer = number | Error

const settingsWith = (webhook: typeof WEBHOOK | undefined) => () => ({
  webhook,
  account_daily_nanos: undefined,
  key_daily_nanos: undefined,
})

function scene() {
  const db = dbOver(memoryDatabase())
  const clock = { now_ms: Date.now() }
  const messages: { id: string; event: string; at_ms: number }[] = []
  const state: { answer: Answer; webhook: typeof WEBHOOK | undefined; ids: number } = {
    answer: 204,
    webhook: WEBHOOK,
    ids: 0,
  }
  const post: PostWebhook = async (_, { headers, body }) => {
    messages.push({ id: headers['webhook-id'] ?? '', event: JSON.parse(body).type, at_ms: clock.now_ms })
    if (state.answer instanceof Error) throw state.answer
    return state.answer
  }
  const settings = () => settingsWith(state.webhook)()
  /** @param by a receiver in place of the one that answers by `state` */
  const open = (by = post) =>
    createSender({ db, settings, post: by, now: () => clock.now_ms, log: memoryLog().log })
  const apply = (steps: Partial<Parameters<typeof applySteps>[1]>) =>
    applySteps(
      db,
      { ...NOTHING, ...steps },
      { now_ms: clock.now_ms, newWebhookId: () => `msg_${++state.ids}` },
    )
  const sending = async () => (await recentSendings(db, 1))[0]
  return {
    db,
    clock,
    messages,
    state,
    post,
    open,
    apply,
    sending,
    later: (ms: number) => {
      clock.now_ms += ms
    },
  }
}

test('an alert is sent once when it is raised, and once when it ends', async () => {
  const { db, messages, open, apply, later, sending, clock } = scene()
  const sender = open()
  await apply({ raise: [LOW] })
  await sender.sendDue()
  await sender.sendDue()
  const [alert] = await openAlerts(db)
  later(60_000)
  await apply({ over: [alert?.id ?? 0] })
  await apply({ end: [alert?.id ?? 0] })
  await sender.sendDue()
  expect(messages.map(({ id, event }) => [id, event])).toEqual([
    ['msg_1', 'alert.raised'],
    ['msg_2', 'alert.ended'],
  ])
  expect(await sending()).toMatchObject({
    tries: 1,
    status: 204,
    due_at_ms: null,
    sent_at_ms: clock.now_ms,
    failure: null,
  })
  expect(await openAlerts(db)).toEqual([])
})

test.each<[string, Answer, string]>([
  ['a failure of the connection', new Error('connection refused'), 'connection refused'],
  ['500', 500, 'The receiver answered 500.'],
  ['a redirect', 302, 'The receiver answered 302.'],
])('%s: it is tried again with the same id, and given up after a day', async (_, answer, failure) => {
  const { state, messages, open, apply, later, sending } = scene()
  state.answer = answer
  await apply({ raise: [LOW] })
  for (const after_ms of [0, ...RETRY_AFTER_MS]) {
    later(after_ms - 1)
    await open().sendDue()
    later(1)
    // Another process goes on where the last one stopped.
    await open().sendDue()
  }
  expect(messages).toHaveLength(1 + RETRY_AFTER_MS.length)
  expect(new Set(messages.map(({ id }) => id)).size).toBe(1)
  expect(await sending()).toMatchObject({ due_at_ms: null, sent_at_ms: null, failure })
  later(DAY_MS)
  await open().sendDue()
  expect(messages).toHaveLength(1 + RETRY_AFTER_MS.length)
  const sum_ms = RETRY_AFTER_MS.reduce((sum, ms) => sum + ms, 0)
  expect([sum_ms > DAY_MS, sum_ms < 2 * DAY_MS]).toEqual([true, true])
})

test('a message arrives after a failure', async () => {
  const { state, messages, open, apply, later, sending } = scene()
  state.answer = 503
  await apply({ raise: [LOW] })
  await open().sendDue()
  expect(await sending()).toMatchObject({ tries: 1, status: 503 })
  state.answer = 200
  later(RETRY_AFTER_MS[0])
  await open().sendDue()
  expect(messages).toHaveLength(2)
  expect(await sending()).toMatchObject({ tries: 2, status: 200, failure: null, due_at_ms: null })
})

test.each<[string, Answer, typeof WEBHOOK | undefined, number]>([
  ['a receiver that answers 410, gone', 410, WEBHOOK, 1],
  ['no webhook any more', 200, undefined, 0],
])('%s: the message is given up at once', async (_, answer, webhook, posts) => {
  const { state, messages, open, apply, sending } = scene()
  Object.assign(state, { answer, webhook })
  await apply({ raise: [LOW] })
  await open().sendDue()
  expect(messages).toHaveLength(posts)
  expect(await sending()).toMatchObject({ due_at_ms: null, sent_at_ms: null })
})

test('without a webhook nothing is sent, and alerts are kept for thirty days after their end', async () => {
  const { db, clock } = scene()
  const at = (days: number) => ({ now_ms: clock.now_ms + days * DAY_MS, newWebhookId: undefined })
  await applySteps(db, { ...NOTHING, raise: [LOW] }, at(0))
  await applySteps(db, { ...NOTHING, over: [1] }, at(0))
  await applySteps(db, { ...NOTHING, end: [1] }, at(1))
  expect(await recentSendings(db, 9)).toEqual([])
  await applySteps(db, { ...NOTHING, raise: [LOW] }, at(30))
  expect((await recentAlerts(db, 9)).map(({ id }) => id)).toEqual([2, 1])
  await applySteps(db, { ...NOTHING }, at(31))
  expect((await recentAlerts(db, 9)).map(({ id }) => id)).toEqual([2])
})

test('an open alert cannot be raised again', async () => {
  const { apply } = scene()
  await apply({ raise: [LOW] })
  await expect(apply({ raise: [LOW] })).rejects.toThrow('UNIQUE')
})

test('a stop does not wait for the receiver, and the next start sends it', async () => {
  const { apply, clock, sending, open, messages } = scene()
  await apply({ raise: [LOW] })
  const requested = Promise.withResolvers<void>()
  const waits: PostWebhook = (_, __, signal) =>
    new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
      requested.resolve()
    })
  const sender = open(waits)
  const sent = sender.sendDue()
  await requested.promise
  await sender.stop()
  await sent
  expect(await sending()).toMatchObject({ tries: 0, due_at_ms: clock.now_ms })
  await open().sendDue()
  expect(messages).toHaveLength(1)
})

test('a sender stopped before its request sends nothing any more', async () => {
  const { apply, sending, open, messages, clock } = scene()
  await apply({ raise: [LOW] })
  const sender = open()
  const sent = sender.sendDue()
  await sender.stop()
  await sent
  expect(messages).toEqual([])
  expect(await sending()).toMatchObject({ tries: 0, due_at_ms: clock.now_ms })
})

test('a real receiver gets a message that the official package verifies', async () => {
  await using server = await serveTls(send('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
  const post = createWebhookPost({
    ca: AUTHORITY,
    resolve: async () => PUBLIC_ADDRESSES,
    dial: () => ({ addresses: ['127.0.0.1'], port: server.port }),
  })
  const { apply, open, state } = scene()
  await apply({ raise: [LOW] })
  expect(state.ids).toBe(1)
  await open(post).sendDue()
  const [head = '', body = ''] = server.requests[0]?.split('\r\n\r\n') ?? []
  expect(head).toStartWith('POST /hook HTTP/1.1\r\n')
  const header = (name: string) => new RegExp(`\r\n${name}: ([^\r]*)`, 'i').exec(head)?.[1] ?? ''
  const headers = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, header(name)]),
  )
  expect(new Webhook(SECRET).verify(body, headers)).toMatchObject({
    type: 'alert.raised',
    data: { subject: 'alice', sentence: 'alice has no balance left.' },
  })
})

const webhookTest = (post: PostWebhook, settings = settingsWith(WEBHOOK)) =>
  createWebhookTest({ settings, post, now: Date.now, log: memoryLog().log })

describe('a test', () => {
  test.each<[about: string, answer: Answer, failure: string | null, sentence: string]>([
    ['200', 200, null, 'images.example.com received the test alert (status 200).'],
    ['204', 204, null, 'received the test alert (status 204).'],
    ['a redirect', 302, 'The receiver answered 302.', 'set webhook_url to the final address'],
    ['400', 400, 'The receiver answered 400.', 'look in its log for what it expects'],
    ['401', 401, 'The receiver answered 401.', 'check that webhook_secret is the one that the receiver'],
    ['403', 403, 'The receiver answered 403.', 'check that webhook_secret is the one that the receiver'],
    ['404', 404, 'The receiver answered 404.', 'answered 404. Check the path of webhook_url.'],
    ['410', 410, 'The receiver answered 410.', 'set webhook_url to another receiver'],
    ['429', 429, 'The receiver answered 429.', 'try again in a minute'],
    ['503', 503, 'The receiver answered 503.', 'The receiver failed: look in its log.'],
    ['no connection', new Error('No route.'), 'No route.', 'No route. Check webhook_url in [alerts].'],
  ])('%s: reports its result, is not tried again, and is no alert', async (_, answer, failure, sentence) => {
    const { db, state, messages, post, sending } = scene()
    state.answer = answer
    const result = await webhookTest(post)()
    expect(result).toMatchObject({ failure, status: typeof answer === 'number' ? answer : null })
    expect(result.sentence).toContain(sentence)
    expect(messages.map(({ event }) => event)).toEqual(['alert.test'])
    expect([await sending(), await openAlerts(db)]).toEqual([undefined, []])
  })

  test('is refused without a webhook, and sends one message for several presses at once', async () => {
    let posts = 0
    const post: PostWebhook = async () => ++posts + 200
    await expect(webhookTest(post, settingsWith(undefined))()).rejects.toThrow(
      'No webhook is set. Set webhook_url and webhook_secret in [alerts]',
    )
    const send = webhookTest(post)
    const results = await Promise.all([send(), send(), send()])
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set([201]))
    expect((await send()).status).toBe(202)
  })

  test('is signed as alerts are, for the official package', async () => {
    let verified: unknown
    const post: PostWebhook = async (_, { headers, body }) => {
      verified = new Webhook(SECRET).verify(body, { ...headers })
      return 204
    }
    await webhookTest(post)()
    expect(verified).toMatchObject({
      type: 'alert.test',
      data: {
        id: 0,
        rule: 'test',
        subject: '',
        sentence: expect.stringContaining('This is a test'),
        ended_at: null,
      },
    })
  })
})

test.each([
  ['http://hooks.example.com/', 'must be an https:// address of a public server'],
  ['https://127.0.0.1/', 'must be an https:// address of a public server'],
  ['https://metadata.goog/', 'must be an https:// address of a public server'],
  ['https://hooks.example.com/', 'is not on the public Internet'],
])('%s is refused as an address of webhooks', async (url, words) => {
  const post = createWebhookPost({ resolve: async () => ['10.0.0.7'] })
  await expect(post(url, { headers: {}, body: '{}' })).rejects.toThrow(words)
})
