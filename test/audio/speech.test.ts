// Speech: POST /v1/audio/speech, audio that is passed on as it comes, charged by characters, by its duration or by tokens.
import { beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { disconnectScene } from '../disconnect/support.ts'
import { PROVIDER_KEYS } from '../support/catalogue.ts'
import { fileScene, type Scene } from '../support/scene.ts'
import { CHARACTER_NANOS, UPSTREAM, unitModels } from '../support/unit-models.ts'
import { type Answer, events, RESET, refusal, SILENCE, type Step, whole } from '../support/upstream.ts'

const { gateway, upstream, key, call, upstreamBody, lastCall, counts, expectCounts } = await fileScene({
  more: unitModels,
})
const sdk = new OpenAI({ apiKey: key, baseURL: new URL('/v1', gateway.url).href, maxRetries: 0 })
beforeEach(() => {
  upstream.requests.length = 0
})

const PATH = '/v1/audio/speech'
const TEXT = 'The sea comes and goes. 🌊'
/** Code points: the wave is one. */
const CHARACTERS = 25
const MP3 = readFileSync(join(import.meta.dir, '../fixtures/audio/tone.mp3'))
const MP3_MS = 2_593

const spoken = (bytes: Uint8Array = MP3, type = 'audio/mpeg'): Answer => ({
  headers: { 'content-type': type },
  steps: [{ send: bytes.subarray(0, 1_000) }, 'read', { send: bytes.subarray(1_000) }],
})
const speak = (model: string, more: JsonObject = {}) =>
  call(PATH, { model, input: TEXT, voice: 'alloy', ...more })

describe('audio is passed on byte for byte', () => {
  test('through the SDK: the body goes on with the model renamed, and each character is charged', async () => {
    upstream.answer(spoken())
    const answer = await sdk.audio.speech.create({
      model: 'voice',
      input: TEXT,
      voice: 'alloy',
      instructions: 'Slowly.',
      speed: 0.5,
    })
    expect(Buffer.from(await answer.arrayBuffer()).equals(MP3)).toBe(true)
    expect(answer.headers.get('content-type')).toBe('audio/mpeg')
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
    expect(upstream.last().path).toBe('/v1/audio/speech')
    expect(upstream.last().headers.authorization).toBe(`Bearer ${PROVIDER_KEYS[0]}`)
    expect(upstreamBody()).toEqual({
      model: UPSTREAM,
      input: TEXT,
      voice: 'alloy',
      instructions: 'Slowly.',
      speed: 0.5,
    })
    const record = await lastCall()
    expect(record).toMatchObject({
      surface: 'speech',
      model: 'voice',
      outcome: 'completed',
      estimated: 0,
      cost_nanos: CHARACTERS * CHARACTER_NANOS,
      hold_nanos: CHARACTERS * CHARACTER_NANOS,
    })
    expect(JSON.parse(record.price)).toEqual({
      unit: 'unit',
      nanos: { per_million_characters: 15_000_000_000 },
      units: { characters: CHARACTERS },
    })
  })

  test('fields and spellings that the gateway does not know pass', async () => {
    upstream.answer(spoken())
    const request = `{ "input":"Hi","voice":"v","speed":1.50,"pitch":9007199254740993, "model" : "voice" }`
    await (await call(PATH, request)).arrayBuffer()
    expect(upstream.last().body.toString()).toBe(request.replace('"voice" }', `"${UPSTREAM}" }`))
  })

  test.each([
    ['an MP3', MP3, 'audio/mpeg', {}, MP3_MS],
    ['samples of half a second', new Uint8Array(24_000), 'audio/pcm', { response_format: 'pcm' }, 500],
  ])('by the minute: %s is measured', async (_name, bytes, type, more, ms) => {
    upstream.answer(spoken(bytes, type))
    await (await speak('voice-by-minute', more)).arrayBuffer()
    expect(await lastCall()).toMatchObject({ estimated: 1, cost_nanos: ms * 100 })
  })

  test('by the minute: the hold is higher than the charge', async () => {
    upstream.answer(spoken())
    await (await speak('voice-by-minute')).arrayBuffer()
    const { hold_nanos, cost_nanos } = await lastCall()
    expect(hold_nanos).toBeGreaterThan(cost_nanos)
  })
})

describe('events pass through', () => {
  const piece = { type: 'speech.audio.delta', audio: MP3.toString('base64') }
  const done = {
    type: 'speech.audio.done',
    usage: { input_tokens: 14, output_tokens: 101, total_tokens: 115 },
  }

  test('the last one has the usage that is charged', async () => {
    upstream.answer(events([piece, done]))
    const response = await speak('voice-by-token', { stream_format: 'sse' })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(await response.text()).toBe(`data: ${JSON.stringify(piece)}\n\ndata: ${JSON.stringify(done)}\n\n`)
    expect(await lastCall()).toMatchObject({
      estimated: 0,
      input_tokens: 14,
      output_tokens: 101,
      cost_nanos: 14 * 600 + 101 * 12_000,
    })
  })

  test.each([
    ['is negative', { input_tokens: -1, output_tokens: 1 }],
    ['is no number', { input_tokens: 1, output_tokens: '1e9' }],
    ['is larger than possible', { input_tokens: 1, output_tokens: 1_000_000_000 }],
  ])('a usage that %s is estimated', async (_name, usage) => {
    upstream.answer(events([piece, { ...done, usage }]))
    await (await speak('voice-by-token', { stream_format: 'sse' })).text()
    const record = await lastCall()
    expect(record.estimated).toBe(1)
    expect(record.cost_nanos).toBeLessThan(record.hold_nanos)
    expect(record.cost_nanos).toBeGreaterThan(0)
  })

  test.each([
    ['of four tokens to a character, and a thousand, is charged', 1_100, 0],
    ['of one more is estimated', 1_101, 1],
  ])('a usage %s', async (_name, input_tokens, estimated) => {
    upstream.answer(events([piece, { ...done, usage: { ...done.usage, input_tokens } }]))
    await (await speak('voice-by-token', { stream_format: 'sse' })).text()
    expect((await lastCall()).estimated).toBe(estimated)
  })

  const FILES = join(import.meta.dir, '../fixtures/audio')
  const PCM = new Uint8Array(96_000)
  const opaque = new Uint8Array(40_000).fill(7)
  test.each<[name: string, bytes: Uint8Array, more: JsonObject, ms: number]>([
    ['MP3', MP3, {}, MP3_MS],
    ['MP3, requested', MP3, { response_format: 'mp3' }, MP3_MS],
    ['WAV', readFileSync(join(FILES, 'tone.wav')), { response_format: 'wav' }, 2_500],
    ['Opus', readFileSync(join(FILES, 'tone-opus.ogg')), { response_format: 'opus' }, 2_521],
    ['AAC', readFileSync(join(FILES, 'tone.aac')), { response_format: 'aac' }, 2_561],
    ['FLAC', readFileSync(join(FILES, 'tone.flac')), { response_format: 'flac' }, 2_500],
    ['bare samples', PCM, { response_format: 'pcm' }, 2_000],
    ['bare samples where no format was requested', PCM, {}, 2_000],
    ['an unknown container, by the characters', opaque, { response_format: 'mp3' }, 1_667],
  ])('by the minute, the audio inside is measured: %s', async (_name, bytes, more, ms) => {
    const sizes = [700, 1_001, 65_536]
    for (const size of sizes) {
      const pieces = []
      for (let at = 0; at < bytes.length; at += size)
        pieces.push({ ...piece, audio: Buffer.from(bytes.subarray(at, at + size)).toString('base64') })
      upstream.answer(events([...pieces, { type: 'speech.audio.done' }]))
      await (await speak('voice-by-minute', { stream_format: 'sse', ...more })).text()
      expect(await lastCall()).toMatchObject({ outcome: 'completed', estimated: 1, cost_nanos: ms * 100 })
    }
  })

  test('by the minute: slashes with escapes', async () => {
    const bytes = new Uint8Array(48_000).fill(0xff)
    const escaped = JSON.stringify({ ...piece, audio: Buffer.from(bytes).toString('base64') }).replaceAll(
      '/',
      '\\/',
    )
    upstream.answer(events([escaped, { type: 'speech.audio.done' }]))
    await (await speak('voice-by-minute', { stream_format: 'sse', response_format: 'pcm' })).text()
    expect(await lastCall()).toMatchObject({ cost_nanos: 1_000 * 100 })
  })

  test('by the minute: a stream that breaks is charged for the audio that came', async () => {
    upstream.answer(events([{ ...piece, audio: Buffer.from(PCM).toString('base64') }]))
    await (await speak('voice-by-minute', { stream_format: 'sse', response_format: 'pcm' })).text()
    expect(await lastCall()).toMatchObject({ outcome: 'broken', estimated: 1, cost_nanos: 2_000 * 100 })
  })

  test('a stream that breaks ends with an error, and the text is charged', async () => {
    upstream.answer(events([piece]))
    const text = await (await speak('voice', { stream_format: 'sse' })).text()
    expect(text).toContain('data: {"error":')
    expect(await lastCall()).toMatchObject({ outcome: 'broken', cost_nanos: CHARACTERS * CHARACTER_NANOS })
  })

  test('an error as its first event costs nothing, and has a status', async () => {
    upstream.answer(
      events([{ type: 'error', error: { type: 'service_unavailable_error', message: 'busy' } }]),
    )
    expect((await speak('voice', { stream_format: 'sse' })).status).toBe(503)
    expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })
})

describe('failures', () => {
  test('audio that breaks off breaks off for the caller too: nothing is appended to it', async () => {
    const received = Promise.withResolvers<void>()
    const steps: Step[] = [
      { send: MP3.subarray(0, 2_000) },
      'read',
      { send: MP3.subarray(2_000, 4_000) },
      { wait: received.promise },
      'reset',
    ]
    upstream.answer({ headers: { 'content-type': 'audio/mpeg' }, steps })
    const response = await speak('voice')
    expect(response.status).toBe(200)
    received.resolve()
    expect(await response.arrayBuffer().catch(() => 'broken')).toBe('broken')
    expect(await lastCall()).toMatchObject({ outcome: 'broken', cost_nanos: CHARACTERS * CHARACTER_NANOS })
  })

  test.each<[string, Answer, number]>([
    ['a failure', refusal(500), 502],
    ['a connection that breaks', RESET, 502],
    ['nothing at all', { headers: { 'content-type': 'audio/mpeg' }, steps: [] }, 502],
    ['an error under status 200', whole({ error: { message: 'no' } }), 502],
    [
      'an error that calls itself audio',
      whole({ error: { message: 'no' } }, { 'content-type': 'audio/mpeg' }),
      502,
    ],
    ['a page of a proxy', whole('<html></html>', { 'content-type': 'text/html' }), 502],
    ['its rate limit', refusal(429), 429],
    ['a refusal of the request', refusal(400, { error: { message: 'no such voice' } }), 400],
  ])('%s costs nothing', async (_name, answer, status) => {
    upstream.answer(answer)
    const response = await speak('voice')
    expect([response.status, await response.json()]).toMatchObject([status, { error: {} }])
    expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })

  /** The duration of the text, at fifteen characters a second. */
  const TEXT_MS = 1_667
  test.each([
    ['the characters', 'voice', CHARACTERS * CHARACTER_NANOS],
    ['the duration that they take, by the minute', 'voice-by-minute', TEXT_MS * 100],
    ['the text that was read, by the token', 'voice-by-token', 8 * 600],
  ])('a caller who disconnects before the first byte pays for %s', async (_name, model, cost_nanos) => {
    upstream.answer(SILENCE)
    const leaving = new AbortController()
    const left = gateway
      .call(PATH, { model, input: TEXT, voice: 'v' }, { key, signal: leaving.signal })
      .catch(() => 'left')
    await upstream.waitForRequest(1)
    leaving.abort()
    expect(await left).toBe('left')
    expect(await lastCall()).toMatchObject({ outcome: 'cancelled', status: 499, estimated: 1, cost_nanos })
  })

  test('a caller who disconnects after events without audio pays as if nothing had come', async () => {
    const started = { send: `data: ${JSON.stringify({ type: 'speech.audio.started' })}\n\n` }
    upstream.answer({ headers: { 'content-type': 'text/event-stream' }, steps: [started, 'hang'] })
    const leaving = new AbortController()
    const body = { model: 'voice-by-minute', input: TEXT, voice: 'v', stream_format: 'sse' }
    const response = await gateway.call(PATH, body, { key, signal: leaving.signal })
    await response.body?.getReader().read()
    leaving.abort()
    expect(await lastCall()).toMatchObject({ outcome: 'cancelled', estimated: 1, cost_nanos: TEXT_MS * 100 })
  })
})

describe('a caller who disconnects amid the audio', () => {
  /** Calls, reads the first bytes, and disconnects. */
  async function leave(s: Pick<Scene, 'upstream' | 'gateway'>, own: string) {
    const rest = Promise.withResolvers<void>()
    const steps: Step[] = [
      { send: MP3.subarray(0, 4_000) },
      'read',
      { send: MP3.subarray(4_000, 8_000) },
      { wait: rest.promise },
      { send: MP3.subarray(8_000) },
    ]
    s.upstream.answer({ headers: { 'content-type': 'audio/mpeg' }, steps })
    const leaving = new AbortController()
    const body = { model: 'voice-by-minute', input: TEXT, voice: 'v' }
    const response = await s.gateway.call(PATH, body, { key: own, signal: leaving.signal })
    const reader = response.body?.getReader()
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0)
    leaving.abort()
    return rest.resolve
  }

  test('pays for the audio that passed', async () => {
    const goOn = await leave({ upstream, gateway }, key)
    const record = await lastCall()
    goOn()
    expect(record).toMatchObject({ outcome: 'cancelled', status: 499, estimated: 1 })
    expect(record.cost_nanos).toBeGreaterThan(500 * 100)
    expect(record.cost_nanos).toBeLessThan(2_400 * 100)
  })

  test('with "drain" pays for all of it', async () => {
    await using draining = await disconnectScene({
      more: unitModels,
      server: 'on_disconnect = "drain"\ndrain_timeout_ms = 20000',
    })
    const { left } = draining.callers
    const left_before = left.count
    const goOn = await leave(draining, draining.key)
    await left.reaches(left_before + 1)
    goOn()
    expect(await draining.lastCall()).toMatchObject({ outcome: 'cancelled', cost_nanos: MP3_MS * 100 })
  })
})

describe('refused before anything is held', () => {
  test.each<[name: string, status: number, param: string | null, body: JsonObject | string]>([
    ['no input', 400, 'input', { model: 'voice', voice: 'v' }],
    ['an empty input', 400, 'input', { model: 'voice', input: '' }],
    ['an input that is no text', 400, 'input', { model: 'voice', input: ['x'] }],
    ['no model', 400, 'model', { input: 'x' }],
    ['a model that does not exist', 404, null, { model: 'none', input: 'x' }],
    ['a model of another kind', 404, null, { model: 'ear', input: 'x' }],
    ['too slow', 400, 'speed', { model: 'voice', input: 'x', speed: 0.1 }],
    ['too fast', 400, 'speed', { model: 'voice', input: 'x', speed: 4.1 }],
    ['a speed of 0', 400, 'speed', { model: 'voice', input: 'x', speed: 0 }],
    ['an unknown stream format', 400, 'stream_format', { model: 'voice', input: 'x', stream_format: 'ws' }],
    [
      'a voice that only a provider remembers',
      400,
      'voice.id',
      { model: 'voice', input: 'x', voice: { id: 'voice_1' } },
    ],
    [
      'a field that is billed beyond units',
      400,
      'service_tier',
      { model: 'voice', input: 'x', service_tier: 'priority' },
    ],
    [
      'an unknown field, where the model refuses them',
      400,
      'pitch',
      { model: 'voice-strict', input: 'x', pitch: 1 },
    ],
    ['the input twice', 400, 'input', '{"model":"voice","input":"x","input":"much longer"}'],
    ['the input in another spelling', 400, 'Input', '{"model":"voice","input":"x","Input":"much longer"}'],
    ['no JSON', 400, null, 'x'],
  ])('%s', async (_name, status, param, body) => {
    const before = counts()
    const response = await call(PATH, body)
    const { error } = (await response.json()) as { error: { type: string; param: string | null } }
    expect([response.status, error.type, error.param]).toEqual([status, 'invalid_request_error', param])
    await expectCounts(before)
  })

  test('a body over 1 MB', async () => {
    const before = counts()
    expect((await call(PATH, { model: 'voice', input: 'x'.repeat(1_100_000) })).status).toBe(413)
    await expectCounts(before)
  })

  test('no key, and no money', async () => {
    expect((await call(PATH, { model: 'voice', input: 'x' }, { key: undefined })).status).toBe(401)
    const poor = await gateway.caller('0.000001')
    const before = counts()
    expect((await call(PATH, { model: 'voice', input: TEXT }, { key: poor })).status).toBe(402)
    await expectCounts(before)
  })
})

test('an Idempotency-Key replays the audio, charged once', async () => {
  upstream.answer(spoken())
  const headers = { 'idempotency-key': 'speech-once' }
  const body = { model: 'voice', input: TEXT, voice: 'v' }
  const first = await (await call(PATH, body, { headers })).bytes()
  await lastCall()
  const before = counts()
  const again = await call(PATH, body, { headers })
  expect([again.headers.get('content-type'), Buffer.from(await again.bytes()).equals(first)]).toEqual([
    'audio/mpeg',
    true,
  ])
  expect((await call(PATH, { ...body, voice: 'w' }, { headers })).status).toBe(422)
  await expectCounts(before)
})
