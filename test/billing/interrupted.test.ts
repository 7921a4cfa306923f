// [billing] interrupted = "free": an answer that the provider interrupts costs the caller nothing, on every surface, and its record has the reason.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { SEEN, STREAMED } from '../disconnect/streams.ts'
import { disconnectScene, expectSettledOnce, sendRaw } from '../disconnect/support.ts'
import { surfaceModels, wireOf } from '../disconnect/surfaces.ts'
import { MODEL, PROVIDER, UPSTREAM_MODEL } from '../support/catalogue.ts'
import { signedIn } from '../support/console-session.ts'
import { streamPath } from '../support/native.ts'
import { type Step, stream } from '../support/upstream.ts'

setDefaultTimeout(60_000)

const WITH_COST = 'with-cost'
const FREE = 'of-nothing'
const more = (url: string): string => `
${surfaceModels(url)}
[[models]]
id = "${WITH_COST}"
kind = "text"
max_output_tokens = 8192
routes = [{ provider = "${PROVIDER}", model = "${UPSTREAM_MODEL}", cost = { input = 0.5, output = 2 } }]
price = { input = 1, output = 4 }

[[models]]
id = "${FREE}"
kind = "text"
max_output_tokens = 8192
routes = [{ provider = "${PROVIDER}", model = "${UPSTREAM_MODEL}" }]
price = { input = 0, output = 0 }

[billing]
interrupted = "free"
`
const s = await disconnectScene({ more, provider: 'cooldown_ms = 0' })
afterAll(() => s[Symbol.asyncDispose]())

/** Sends a stream until the caller has its first piece, and then the steps. @returns the text that the caller received */
async function streamThen(surface: (typeof STREAMED)[string], end: 'break' | 'leave', steps: Step[]) {
  const { provider, request, seen = SEEN } = surface
  const has_seen = Promise.withResolvers<void>()
  const first_events = provider.events.slice(0, 2).flatMap((send): Step[] => [{ send }, 'read'])
  s.upstream.answer(stream('read', ...first_events, { wait: has_seen.promise }, ...steps))
  const left = s.callers.left.count
  const { key, client } = await sendRaw(s.gateway, await wireOf(request))
  await client.waitForText(seen[0])
  if (end === 'leave') client.leave('close')
  if (end === 'leave') await s.callers.left.reaches(left + 1)
  has_seen.resolve()
  if (end === 'break') await client.closed
  client.leave('close')
  return { key, received: client.received() }
}

describe.each(Object.entries(STREAMED))('%s', (_, surface) => {
  const { cost_nanos = 0, ...usage } = surface.provider.charge(2)

  test.each<[string, Step[]]>([
    ['resets the connection', ['reset']],
    ['ends its stream', []],
    ['reports an error', [{ send: surface.provider.error }]],
  ])('the provider %s mid-answer: nothing is charged, and the usage is recorded', async (_, steps) => {
    const { key, received } = await streamThen(surface, 'break', steps)
    expect(cost_nanos).toBeGreaterThan(0)
    expect(received).not.toContain('is charged')
    const expected = { ...usage, cost_nanos: 0, outcome: 'broken', status: 200, streamed: 1 } as const
    await expectSettledOnce(s, key, expected, 'posted')
  })

  test('the caller disconnects: the delivered part is charged as usual', async () => {
    const { key } = await streamThen(surface, 'leave', ['reset'])
    await expectSettledOnce(s, key, { ...usage, cost_nanos, outcome: 'cancelled', status: 499 })
  })
})

const word = (text: string) => ({ event: { candidates: [{ index: 0, content: { parts: [{ text }] } }] } })
const PROMPT = { contents: [{ role: 'user', parts: [{ text: 'Tell me a story' }] }] }

/** One interrupted call of a model, and its row in the caller's own usage. */
async function interrupted(model: string) {
  s.upstream.answer(stream(word('Once upon'), 'read', 'reset'))
  const path = streamPath().replace(MODEL, model)
  await (await s.call(path, PROMPT)).text().catch(() => '')
  const call = await s.lastCall()
  const usage = await s.call('/api/v1/usage?limit=1', undefined, { method: 'GET' })
  const { calls } = (await usage.json()) as { calls: Record<string, unknown>[] }
  return { call, row: calls[0] ?? {} }
}

test('the record of an interrupted call keeps the price and the provider’s cost, the API and the page have the reason, and the books agree', async () => {
  const { call, row } = await interrupted(WITH_COST)
  const would_cost = call.input_tokens * 1_000 + call.output_tokens * 4_000
  expect(call).toMatchObject({ outcome: 'broken', cost_nanos: 0, provider_cost_nanos: would_cost / 2 })
  expect(would_cost).toBeGreaterThan(0)
  expect(row).toMatchObject({ request_id: call.request_id, cost_nanos: 0, free_because: 'interrupted' })
  const page = await (await signedIn(s.gateway, 'operator')).json('GET', `/calls/${call.request_id}`)
  expect(page).toMatchObject({
    free_because: 'interrupted',
    entry: null,
    margin_nanos: -would_cost / 2,
  })
  expect(page.lines.at(-1)).toMatchObject({ what: 'interrupted', amount_nanos: -would_cost })
  // Audits the books, too.
  await s.gateway.atRest()
})

test('the setting applies from the next call on: with "charge" it is charged, without a reason', async () => {
  await s.recatalogue({ more: (url) => more(url).replace('"free"', '"charge"'), provider: 'cooldown_ms = 0' })
  const { call, row } = await interrupted(WITH_COST)
  expect(call).toMatchObject({ outcome: 'broken' })
  expect(call.cost_nanos).toBe(call.input_tokens * 1_000 + call.output_tokens * 4_000)
  expect(row).toMatchObject({ cost_nanos: call.cost_nanos, free_because: null })
  // A free model costs nothing for that reason, whatever the setting.
  expect((await interrupted(FREE)).row).toMatchObject({
    outcome: 'broken',
    cost_nanos: 0,
    free_because: null,
  })
  await s.recatalogue({ more, provider: 'cooldown_ms = 0' })
  expect((await interrupted(FREE)).row).toMatchObject({ cost_nanos: 0, free_because: null })
  expect((await interrupted(WITH_COST)).call.cost_nanos).toBe(0)
})
