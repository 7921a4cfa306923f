// The traces of real calls: retried, refused, cancelled, broken, replayed, translated, with a lowered limit, with a doubtful usage report.
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readTrace } from '../../src/money/ledger/traces.ts'
import type { Call } from '../../src/store/schema.ts'
import { MODEL, PROVIDER, PROVIDER_KEYS } from '../support/catalogue.ts'
import { eventually } from '../support/eventually.ts'
import { answer, answering, ask, piece, streamPath, usage, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { events, refusal, startUpstream, stream, whole } from '../support/upstream.ts'

const { gateway, upstream, call, lastCall, recatalogue } = await fileScene()
const second = await startUpstream()
afterAll(() => second[Symbol.asyncDispose]())
beforeEach(async () => {
  upstream.answer(answering)
  second.answer(answering)
  await recatalogue()
})

const traceOf = ({ trace }: Call) => readTrace(trace)
const twoRoutes = () => `
[server]
log_level = "debug"
${providerSection(PROVIDER, 'gemini', upstream.url, 'cooldown_ms = 0')}
${providerSection('spare', 'openai', `${second.url}/v1`, '', [PROVIDER_KEYS[1]])}
${modelSection(MODEL, { [PROVIDER]: 'first', spare: 'second' }, { more: 'max_output_tokens = 8192' })}
`
const TIMES = { held_ms: expect.any(Number), sent_ms: expect.any(Number), head_ms: expect.any(Number) }

test('a successful call keeps its times, in order, and nothing else', async () => {
  await (await call(wholePath(), ask())).text()
  const record = await lastCall()
  const { held_ms = 0, sent_ms = 0, head_ms = 0, ...rest } = traceOf(record)
  expect(rest).toEqual({})
  expect(record.failed_tries).toBe(0)
  expect([0, held_ms, sent_ms, head_ms, record.first_byte_ms ?? 0, record.duration_ms]).toEqual(
    [0, held_ms, sent_ms, head_ms, record.first_byte_ms ?? 0, record.duration_ms].toSorted((a, b) => a - b),
  )
})

test('a call that a second route answers, translated, keeps the failed attempt', async () => {
  await gateway.recatalogue(twoRoutes())
  upstream.answer(refusal(429, { error: { code: 429, message: `slow down, ${PROVIDER_KEYS[0]}` } }))
  second.answer(
    whole({
      object: 'chat.completion',
      model: 'second',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    }),
  )
  const response = await call(wholePath(), ask())
  expect([response.status, await response.json()]).toMatchObject([200, { candidates: [{}] }])
  const record = await lastCall()
  expect(record).toMatchObject({
    provider: 'spare',
    upstream_model: 'second',
    failed_tries: 1,
    outcome: 'completed',
  })
  const trace = traceOf(record)
  expect(trace).toEqual({
    ...TIMES,
    tried: [
      {
        provider: PROVIDER,
        model: 'first',
        key: `${PROVIDER}#1`,
        at_ms: expect.any(Number),
        took_ms: expect.any(Number),
        failure_class: 'rate_limited',
        status: 429,
        words: 'slow down, [hidden]',
      },
    ],
  })
  expect(trace.sent_ms ?? 0).toBeGreaterThanOrEqual(
    (trace.tried?.[0]?.at_ms ?? 0) + (trace.tried?.[0]?.took_ms ?? 0),
  )
})

test('a call that its provider refuses keeps the attempt and the error that the caller got', async () => {
  upstream.answer(refusal(400, { error: { code: 400, message: 'no such field' } }))
  expect((await call(wholePath(), ask())).status).toBe(400)
  const record = await lastCall()
  expect(record).toMatchObject({ outcome: 'failed', status: 400, failed_tries: 1, provider: '' })
  expect(traceOf(record)).toMatchObject({
    tried: [{ failure_class: 'bad_request', status: 400 }],
    failure: { kind: 'invalid_request', message: 'no such field' },
  })
})

test('an interrupted call keeps the cause, and its attempt counts as failed', async () => {
  upstream.answer(stream({ event: piece('Once') }, 'read', 'reset'))
  await (await call(streamPath(), ask())).text()
  const record = await lastCall()
  expect(record).toMatchObject({ outcome: 'broken', failed_tries: 1 })
  expect(traceOf(record)).toMatchObject({
    ...TIMES,
    failure: { kind: 'upstream_failed', cause: expect.any(String) },
  })
})

test('a call whose caller disconnects keeps the time of the disconnect', async () => {
  const delivered = Promise.withResolvers<void>()
  upstream.answer(stream({ event: piece('Once') }, 'read', { tell: delivered.resolve }, 'hang'))
  const leaving = new AbortController()
  const response = await call(streamPath(), ask(), { signal: leaving.signal })
  await response.body?.getReader().read()
  await delivered.promise
  leaving.abort()
  const record = await lastCall()
  expect(record.outcome).toBe('cancelled')
  const { left_ms = Number.NaN, ...trace } = traceOf(record)
  expect(trace).toEqual(TIMES)
  expect(left_ms).toBeGreaterThanOrEqual(0)
  expect(left_ms).toBeLessThanOrEqual(record.duration_ms)
})

test('a replayed call keeps the hash of its Idempotency-Key and the number of replays', async () => {
  const headers = { 'idempotency-key': 'order 66' }
  for (const replayed of [null, 'true', 'true']) {
    const response = await call(wholePath(), ask('again'), { headers })
    await response.text()
    expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([200, replayed])
  }
  const record = await lastCall()
  const hash = createHash('sha256').update('order 66').digest('hex').slice(0, 16)
  expect(traceOf(record)).toEqual({ ...TIMES, idempotency_key_sha256: hash })
  const kept = () =>
    gateway.db
      .query<{ replays: number; replayed_at_ms: number | null }, [string]>(
        'SELECT replays, replayed_at_ms FROM idempotency_keys WHERE request_id = ?',
      )
      .get(record.request_id)
  await eventually('the replays are written', () => kept()?.replays === 2)
  expect(kept()?.replayed_at_ms).toBeNumber()
})

test('a call that could cost more than the balance keeps its ceiling and the output limit that was sent', async () => {
  const key = await gateway.caller('0.01')
  await (await call(wholePath(), ask(), { key })).text()
  const record = await lastCall()
  const { ceiling_nanos = 0, output_limit = 0 } = traceOf(record)
  expect(ceiling_nanos).toBeGreaterThan(record.hold_nanos)
  expect(output_limit).toBeGreaterThan(0)
  expect(output_limit).toBeLessThan(8_192)
})

test('a doubtful usage report is kept as reported', async () => {
  upstream.answer(whole(answer('Hello.', usage(10, 10_000_000))))
  await (await call(wholePath(), ask())).text()
  const record = await lastCall()
  expect(record.estimated).toBe(1)
  expect(traceOf(record)).toMatchObject({
    told: { input_tokens: 10, output_tokens: 10_000_000 },
    doubt: 'its output is larger than possible',
  })
})

test('a call without a usage report keeps no reported usage', async () => {
  const { usageMetadata: _, ...without_usage } = answer()
  upstream.answer(events([without_usage]))
  await (await call(streamPath(), ask())).text()
  const record = await lastCall()
  expect(record.estimated).toBe(1)
  expect(traceOf(record).told).toBeUndefined()
})
