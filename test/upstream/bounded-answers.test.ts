// Endless answers of a provider: 502 at the limit, whole and streamed, compressed or not; nothing is charged, and the connection is closed.
import { afterAll, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { startBomb } from '../support/bomb.ts'
import { eventually } from '../support/eventually.ts'
import { answer, ask, streamPath, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'

const LIMIT_BYTES = 1024 * 1024
/** Far more than the limits of answers and of events, and than what may be on its way when a connection is closed. */
const BOMB_BYTES = 512 * 1024 * 1024

const bomb = await startBomb(BOMB_BYTES)
afterAll(() => bomb[Symbol.asyncDispose]())

const { call, lastCall, gateway, upstream } = await fileScene({
  server: `max_answer_bytes = ${LIMIT_BYTES}`,

  provider: 'cooldown_ms = 0',
  more: `
${providerSection('bomb', 'gemini', bomb.url, 'cooldown_ms = 0')}
${providerSection('openai-bomb', 'openai', bomb.url, 'cooldown_ms = 0')}
${providerSection('anthropic-bomb', 'anthropic', bomb.url, 'cooldown_ms = 0')}
${modelSection('bomb', { bomb: 'm' })}
${modelSection('counting-bomb', { 'anthropic-bomb': 'm' })}
${modelSection('drawing-bomb', { bomb: 'm' }, { kind: 'image', price: 'per_image = 0.04' })}
${modelSection('embedding-bomb', { 'openai-bomb': 'm' }, { kind: 'embedding', price: 'input = 1' })}
`,
})

const MESSAGE = [{ role: 'user', content: 'Hello' }]
const CALLS: readonly (readonly [string, string, object, Record<string, string>?])[] = [
  ['a whole answer', wholePath('bomb'), ask()],
  ['embeddings', '/v1/embeddings', { model: 'embedding-bomb', input: 'Hello' }],
  ['an image', '/v1/images/generations', { model: 'drawing-bomb', prompt: 'a house' }],
  [
    'a count of tokens',
    '/v1/messages/count_tokens',
    { model: 'counting-bomb', messages: MESSAGE },
    { 'anthropic-version': '2023-06-01' },
  ],
]

/** Expects one more connection to be closed, long before all of its answer was sent. */
async function expectClosed(count: number): Promise<void> {
  await eventually('the connection was closed', () => bomb.ended.length > count)
  expect(bomb.ended.at(-1)).toBeLessThan(BOMB_BYTES)
}

// All kinds of call read an answer by one function, which reads a compressed one as a stream: the first of them also has one without compression.
for (const [how, compressed, calls] of [
  ['compressed', true, CALLS],
  ['uncompressed', false, CALLS.slice(0, 1)],
] as const) {
  test.each(calls)(`%s, ${how}`, async (_what, path, body, headers = {}) => {
    bomb.answer({ content_type: 'application/json', begins: '{"candidates":[', compressed })
    const [before, ended] = [gateway.rows(), bomb.ended.length]
    const response = await call(path, body, { headers })
    await response.arrayBuffer()
    expect(response.status).toBe(502)
    await expectClosed(ended)
    const { holds, calls } = await gateway.atRest()
    expect(holds.slice(before.holds.length).every(({ state }) => state === 'voided')).toBeTrue()
    expect(calls.slice(before.calls.length).every(({ cost_nanos }) => cost_nanos === 0)).toBeTrue()
  })
}

test('an event of a stream that does not end, compressed', async () => {
  bomb.answer({ content_type: 'text/event-stream', begins: 'data: {"candidates":[', compressed: true })
  const ended = bomb.ended.length
  const response = await call(streamPath('bomb'), ask())
  const text = await response.text()
  expect(text).toContain('"error"')
  await expectClosed(ended)
  expect(await lastCall()).toMatchObject({ cost_nanos: 0 })
})

test('an answer within the limit arrives, compressed and of unannounced length', async () => {
  const text = JSON.stringify(answer('Hello.'.repeat(20_000)))
  const packed = gzipSync(text)
  upstream.answer({
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    steps: [{ send: packed.subarray(0, 100) }, { send: packed.subarray(100) }],
  })
  const response = await call(wholePath(), ask())
  expect([response.status, await response.text()]).toEqual([200, text])
})
