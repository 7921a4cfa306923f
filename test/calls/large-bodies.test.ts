// Large text bodies: refused unread if the account cannot pay, parsed on a thread as on the event loop, cut off if they arrive too slowly.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { accountQueries } from '../../src/access/queries.ts'
import { hasLongMedia } from '../../src/calls/kinds/text/read-body.ts'
import { createParser } from '../../src/calls/parsing/parser.ts'
import { readPaced } from '../../src/http/paced-body.ts'
import { openLedger } from '../../src/money/ledger/ledger.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { MODEL, TIERED } from '../support/catalogue.ts'
import { sendEndlessly } from '../support/endless-sender.ts'
import { memoryLog } from '../support/memory-log.ts'
import { answering, ask, streamPath, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { connectSocket } from '../support/socket-client.ts'
import { inChunks } from '../support/upstream.ts'

const KILOBYTE = 1024
const FREE = 'test-free'
const { gateway, call, upstreamBody, lastCall, upstream } = await fileScene({
  script: answering,
  more: (url) => `
${providerSection('other', 'openai', url)}
${modelSection(FREE, { 'provider-one': 'm' }, { price: 'input = 0, output = 0' })}
${modelSection('test-elsewhere', { other: 'm' })}
`,
})

const chat = (model: string, text: string) => ({ model, messages: [{ role: 'user', content: text }] })
const poor = await gateway.caller('0', { models: [MODEL] })
const long = 'a'.repeat(80 * KILOBYTE)

describe('a body over 64 KB of an account without free balance', () => {
  /** The head of a request whose body is announced and never sent. */
  const headOf = (path: string, ...more: string[]) => [
    `POST ${path} HTTP/1.1`,
    'Host: gateway',
    `Authorization: Bearer ${poor}`,
    'anthropic-version: 2023-06-01',
    'Content-Type: application/json',
    ...more,
  ]

  test.each([wholePath(), streamPath(), '/v1/chat/completions', '/v1/messages', '/v1/embeddings'])(
    '%s: is refused with 402 before any of it is read',
    async (path) => {
      const client = await connectSocket(gateway.url)
      client.send(`${headOf(path, 'Content-Length: 9000000').join('\r\n')}\r\n\r\n`)
      await client.closed
      expect(client.received()).toStartWith('HTTP/1.1 402 ')
      expect(client.received().toLowerCase()).toContain('connection: close')
    },
  )

  test('of unannounced length is refused with 402 while it arrives', async () => {
    const { sent_bytes, answer } = await sendEndlessly(gateway.url, headOf(wholePath()), {
      begins: '{',
      stop_bytes: 29_000_000,
    })
    if (answer !== '') expect(answer).toStartWith('HTTP/1.1 402')
    expect(sent_bytes).toBeLessThan(16_000_000)
  })

  test('is read with an Idempotency-Key, because an answer may be kept under it', async () => {
    const headers = { 'idempotency-key': 'again' }
    const response = await call(wholePath(), `{"contents":"${long}"`, { key: poor, headers })
    expect(response.status).toBe(400)
  })

  test('is read if the key may call a free model', async () => {
    const key = await gateway.caller('0')
    expect((await call(wholePath(FREE), ask(long), { key })).status).toBe(200)
    expect((await call('/v1/chat/completions', chat(FREE, long), { key })).status).toBe(200)
    // The path names the model: it is known before the body is read.
    expect((await call(wholePath(MODEL), `{${long}`, { key })).status).toBe(402)
    expect((await call('/v1/chat/completions', `{${long}`, { key })).status).toBe(400)
  })

  test('is read for a count of tokens', async () => {
    const headers = { 'anthropic-version': '2023-06-01' }
    const response = await call('/v1/messages/count_tokens', chat(MODEL, long), { key: poor, headers })
    expect(response.status).toBe(200)
  })

  test('is read as soon as the account is topped up', async () => {
    const { id, name } = await gateway.account('topped-up')
    const key = await gateway.key(name)
    expect((await call(wholePath(), ask(long), { key })).status).toBe(402)
    await gateway.topUp(id, '1')
    expect((await call(wholePath(), ask(long), { key })).status).toBe(200)
  })

  test('is refused with 402 once the balance is spent: unread above 256 KB, otherwise by its hold at the latest', async () => {
    const { id, name } = await gateway.account('spent', { balance_usd: '1' })
    const key = await gateway.key(name)
    expect((await call(wholePath(), ask(long), { key })).status).toBe(200)
    await gateway.rest()
    const amount_nanos = (await accountQueries(gateway.store).accountById.get({ id }))?.balance_nanos ?? 0
    const ledger = openLedger({ path: join(gateway.data_folder, 'tollgate.db') })
    const withdrawal = { op: 'withdraw', account_id: id, amount_nanos, note: 'test', now_ms: 0 } as const
    expect(await ledger.submit(withdrawal)).toMatchObject({ ok: true })
    await ledger.close()
    const seen = upstream.requests.length
    expect((await call(wholePath(), ask(long), { key })).status).toBe(402)
    expect((await call(wholePath(), `{${long.repeat(4)}`, { key })).status).toBe(402)
    expect(upstream.requests.length).toBe(seen)
  })

  test('a shorter one is read, then refused with 402', async () => {
    expect((await call(wholePath(), '{', { key: poor })).status).toBe(400)
    expect((await call(wholePath(), ask(), { key: poor })).status).toBe(402)
  })
})

describe('PDFs, and other documents and recordings over 16 KB, are counted on the thread', () => {
  const pdf = 'JVBERi0x'.repeat(2_100)
  const sound = 'SUQzBAAA'.repeat(2_100)
  const half = sound.slice(0, sound.length / 2 + 500)
  const png = `iVBORw0KGgo${pdf}`
  test.each<[of: string, body: JsonObject, on_thread: boolean]>([
    ['messages', { messages: [{ content: [{ source: { data: pdf } }] }] }, true],
    ['chat completions', { messages: [{ content: [{ file: { file_data: pdf } }] }] }, true],
    [
      'chat completions, audio without an object',
      { messages: [{ content: [{ input_audio: sound }] }] },
      true,
    ],
    ['a short PDF', { messages: [{ content: [{ source: { data: pdf.slice(0, 400) } }] }] }, true],
    [
      'a short PDF as a data URI',
      { input: [{ content: [{ file_data: `data:application/pdf;base64,${pdf.slice(0, 400)}` }] }] },
      true,
    ],
    ['responses', { input: [{ content: [{ file_data: pdf }] }] }, true],
    ['native requests', { contents: [{ parts: [{ inline_data: { data: pdf } }] }] }, true],
    ['several that are long together', { contents: [{ parts: [{ data: half }, { data: half }] }] }, true],
    ['short ones', { contents: [{ parts: [{ data: half }] }] }, false],
    ['images', { messages: [{ content: [{ source: { data: png } }] }] }, false],
    ['text', { messages: [{ content: pdf }] }, false],
  ])('%s', (_of, body, on_thread) => {
    expect(hasLongMedia(body)).toBe(on_thread)
  })
})

describe('a body that is parsed on the thread', () => {
  const megabytes = 'a'.repeat(1_200_000)
  const many = Array.from({ length: 60_000 }, () => 1)

  test('passes to a provider of the same protocol byte for byte', async () => {
    const body = `{ "contents":[{"parts":[{"text":"${megabytes}"}]}], "unknown": 1.0, "generationConfig":{} }`
    expect((await call(wholePath(TIERED), body)).status).toBe(200)
    expect(upstream.last().body.toString()).toBe(body)
  })

  test('is translated, and charged as a small one is', async () => {
    expect((await call('/v1/chat/completions', chat(MODEL, megabytes))).status).toBe(200)
    expect(upstreamBody()).toMatchObject({ contents: [{ parts: [{ text: megabytes }] }] })
    expect(await lastCall()).toMatchObject({ model: MODEL, outcome: 'completed' })
  })

  test('passes through with many values', async () => {
    expect((await call(wholePath(), ask('Hello', { unknown: many }))).status).toBe(200)
    expect(upstreamBody().unknown).toEqual(many)
  })

  test('streams', async () => {
    const response = await call('/v1/chat/completions', { ...chat(MODEL, megabytes), stream: true })
    expect(await response.text()).toEndWith('data: [DONE]\n\n')
  })

  const REFUSED: readonly (readonly [string, string, string])[] = [
    ['invalid JSON', `{"contents":"${megabytes}`, 'not valid JSON'],
    ['a list', `["${megabytes}"]`, 'must be a JSON object'],
    ['nested too deep', `{"a":"${megabytes}","b":${'['.repeat(600)}${']'.repeat(600)}}`, 'nested deeper'],
    ['too many values', `{"a":[${'[],'.repeat(5_000_001)}[]]}`, 'more than 5000000 values'],
    ['a fault in a field', `{"a":"${megabytes}"}`, 'contents: '],
  ]
  test.each(REFUSED)('%s: is refused as on the event loop', async (_what, body, message) => {
    const response = await call(wholePath(), body)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(message)
  })

  test('is the same request under the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'large' }
    const body = ask('Hello', { unknown: many })
    expect((await call(wholePath(), body, { headers })).status).toBe(200)
    const again = await call(wholePath(), body, { headers })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await call(wholePath(), ask('Bye', { unknown: many }), { headers })).status).toBe(422)
  })
})

describe('the parser', () => {
  const question = { ask: 'open' } as const
  const bytes = () => new TextEncoder().encode(`{"a":[${'[],'.repeat(1_000_000)}[]]}`)

  test('a question that takes too long fails, and the next one is answered', async () => {
    const { log } = memoryLog()
    const hasty = createParser({ log, question_timeout_ms: 1 })
    await expect(hasty.ask({ body_id: 1, bytes: bytes(), question })).rejects.toMatchObject({
      kind: 'overloaded',
    })
    const patient = createParser({ log, idle_ms: 1 })
    expect(await patient.ask({ body_id: 1, bytes: bytes(), question })).toMatchObject({ value: {} })
    // Meanwhile its thread has ended, being idle.
    expect(await patient.ask({ body_id: 2, bytes: bytes(), question })).toMatchObject({ value: {} })
  })
})

test('a body that comes too slowly is cut off', async () => {
  // A byte every 20 ms: this test needs a slow body.
  const dribble = inChunks('x'.repeat(100), 1)
  const body = dribble.pipeThrough(
    new TransformStream({ transform: async (part, to) => Bun.sleep(20).then(() => to.enqueue(part)) }),
  )
  const request = new Request('http://gateway', { method: 'POST', body })
  const pace = { grace_ms: 100, min_bytes_per_s: 1_000 }
  const reading = readPaced(request, { limit_bytes: 1_000, admit: () => undefined, pace })
  await expect(reading).rejects.toMatchObject({
    kind: 'invalid_request',
    message: expect.stringContaining('slowly'),
  })
})
