// silent.md, Images: "`Idempotency-Key` on any paid POST: same key and body replays the stored answer, one charge", kept 24 hours.
import { beforeEach, describe, expect, test } from 'bun:test'
import { KEPT_FOR_MS } from '../../src/idempotency/kept-answers.ts'
import { MAX_ROW_BYTES } from '../../src/store/kept/content.ts'
import { ANSWER_NANOS, answer, ask, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { refusal, splitAt, stream } from '../support/upstream.ts'
import { answering, keptIn, PAID, send, withdraw } from './support.ts'

let clock_ms = Date.now()
const { gateway, upstream } = await fileScene({ now: () => clock_ms })
beforeEach(() => {
  upstream.requests.length = 0
  upstream.answer(answering())
})

const PAID_CASES = Object.entries(PAID)
const fresh = () => crypto.randomUUID()
const filesOfAnswers = () => Array.fromAsync(gateway.files.answers.list())

describe('"same key and body replays the stored answer, one charge"', () => {
  test.each(PAID_CASES)('%s', async (_, paid) => {
    const keys = { key: await gateway.caller(), idempotency_key: fresh() }
    const before = gateway.rows().calls.length
    const first = await send(gateway, paid, keys)
    expect([first.status, first.replayed]).toEqual([200, null])
    expect(first.body).toContain('Hello.')
    upstream.answer(refusal(500))
    expect(await send(gateway, paid, keys)).toEqual({ ...first, replayed: 'true' })
    expect(await send(gateway, paid, keys)).toEqual({ ...first, replayed: 'true' })
    expect(upstream.requests).toHaveLength(1)
    const { calls } = await gateway.atRest()
    expect(calls).toHaveLength(before + 1)
    expect(calls.at(-1)).toMatchObject({ cost_nanos: ANSWER_NANOS, request_id: first.request_id })
  })

  test.each(PAID_CASES)(
    '%s: an answer too large for a row is kept in a file, byte for byte',
    async (_, paid) => {
      const keys = { key: await gateway.caller(), idempotency_key: fresh() }
      upstream.answer(answering('é☃🦀'.repeat(30_000)))
      const files = await filesOfAnswers()
      const first = await send(gateway, paid, keys)
      expect(first.body.length).toBeGreaterThan(MAX_ROW_BYTES)
      expect(await filesOfAnswers()).toHaveLength(files.length + 1)
      expect(await send(gateway, paid, keys)).toEqual({ ...first, replayed: 'true' })
      expect(upstream.requests).toHaveLength(1)
    },
  )

  test('a stream in many pieces that outgrows a row is replayed byte for byte', async () => {
    const paid = PAID['native, events']
    const piece = { candidates: [{ content: { role: 'model', parts: [{ text: 'x'.repeat(3_000) }] } }] }
    const text = [...Array(40).fill(piece), answer()]
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join('')
    const places = Array.from({ length: 60 }, (_, index) => (index + 1) * 2_000)
    upstream.answer(stream(...splitAt(text, ...places)))
    const keys = { key: await gateway.caller(), idempotency_key: fresh() }
    const first = await send(gateway, paid, keys)
    expect(first.body).toBe(text)
    expect((await send(gateway, paid, keys)).body).toBe(text)
    await gateway.rest()
  })

  test('without the header each request is a separate call, and nothing is kept', async () => {
    const key = await gateway.caller()
    const before = keptIn(gateway)
    for (let round = 0; round < 2; round += 1)
      expect((await gateway.call(wholePath(), ask(), { key })).status).toBe(200)
    expect(upstream.requests).toHaveLength(2)
    expect(keptIn(gateway)).toEqual(before)
  })

  test('a replay costs nothing, even if the balance has been spent meanwhile', async () => {
    const { id, name } = await gateway.account(`poor-${fresh()}`, { balance_usd: '0.04' })
    const keys = { key: await gateway.key(name), idempotency_key: fresh() }
    const paid = PAID['native, whole']
    expect((await send(gateway, paid, keys)).status).toBe(200)
    const { balance_nanos } = gateway.rows().accounts.find((account) => account.id === id) ?? {
      balance_nanos: 0,
    }
    await withdraw(gateway, id, balance_nanos)
    expect((await send(gateway, paid, keys)).replayed).toBe('true')
    expect((await send(gateway, paid, { ...keys, idempotency_key: fresh() })).status).toBe(402)
  })

  test('the API keys of an account share its idempotency keys; accounts do not', async () => {
    const { name } = await gateway.account(`two-keys-${fresh()}`, { balance_usd: '10' })
    const idempotency_key = fresh()
    const paid = PAID['native, whole']
    await send(gateway, paid, { key: await gateway.key(name), idempotency_key })
    expect((await send(gateway, paid, { key: await gateway.key(name), idempotency_key })).replayed).toBe(
      'true',
    )
    expect((await send(gateway, paid, { key: await gateway.caller(), idempotency_key })).replayed).toBeNull()
    expect(upstream.requests).toHaveLength(2)
  })

  test('the same API key sent in another way replays the same answer', async () => {
    const key = await gateway.caller()
    const headers = { 'idempotency-key': fresh() }
    for (const form of ['query', 'bearer', 'x-goog-api-key', 'query'] as const)
      expect((await gateway.call(wholePath(), ask(), { key, form, headers })).status).toBe(200)
    expect(upstream.requests).toHaveLength(1)
  })
})

describe('"Kept 24 hours"', () => {
  test('to the millisecond; then the request is a new one', async () => {
    const paid = PAID['chat, whole']
    const { name } = await gateway.account(`day-${fresh()}`, { balance_usd: '10' })
    const keys = { key: await gateway.key(name), idempotency_key: fresh() }
    upstream.answer(answering('a large answer '.repeat(10_000)))
    await send(gateway, paid, keys)
    clock_ms += KEPT_FOR_MS - 1
    expect((await send(gateway, paid, keys)).replayed).toBe('true')
    clock_ms += 1
    expect((await send(gateway, paid, keys)).replayed).toBeNull()
    expect((await send(gateway, paid, keys)).replayed).toBe('true')
    expect(upstream.requests).toHaveLength(2)
  })
})
