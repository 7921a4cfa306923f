// silent.md, "Messages", row by row, over a real socket: the version, the bytes, the events, the errors, the limit, the counting, the cache.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { suspendAccount } from '../../src/access/accounts.ts'
import type { CallOptions } from '../support/gateway.ts'
import { events, inChunks, RESET, refusal, SILENCE, stream, whole } from '../support/upstream.ts'
import { createAnthropicSdk } from './clients.ts'
import {
  ALIASES,
  CACHE_READ_NANOS,
  CACHE_WRITE_1H_NANOS,
  CACHE_WRITE_5M_NANOS,
  countsOf,
  expectUntouched,
  framed,
  INPUT_NANOS,
  MODELS,
  OUTPUT_NANOS,
  openWorld,
  PROTOCOLS,
  REFUSAL,
  recorded,
  replay,
  streamOf,
  type World,
} from './world.ts'

const MODEL = MODELS.anthropic
const VERSION = { 'anthropic-version': '2023-06-01' }
const PATH = '/v1/messages'
const COUNT = '/v1/messages/count_tokens'
const messages = [{ role: 'user', content: 'Why are there tides?' }]
const BODY = { model: MODEL, max_tokens: 1_000, messages }

/** A vendor who is given little time, and a key that may call once a minute. */
const MORE = `
[[providers]]
name = "hasty"
protocol = "anthropic"
base_url = "URL/anthropic"
api_keys = []
call_timeout_ms = 60
rest_ms = 0

[[models]]
id = "hasty"
kind = "text"
routes = [{ provider = "hasty", model = "x" }]
price = { input = 1, output = 4 }

[limits.accounts.limited]
requests_per_minute = 1
`

let world: World
let key: string
beforeAll(async () => {
  world = await openWorld((url) => MORE.replace('URL', url))
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(async () => {
  world.upstream.answer(replay('text'))
  key = await world.gateway.caller('100')
})

const post = (body: object | string | Uint8Array | ReadableStream, options: CallOptions = {}, path = PATH) =>
  world.gateway.call(path, body, {
    key,
    form: 'x-api-key',
    ...options,
    headers: { ...VERSION, ...options.headers },
  })

/** The error of an answer that must be one, in the vendor's shape. */
async function errorOf(response: Response): Promise<{ status: number; type: string; message: string }> {
  const id = response.headers.get('request-id')
  const body = (await response.json()) as { error: { type: string; message: string } }
  expect(body).toEqual({
    type: 'error',
    error: { type: expect.any(String), message: expect.stringMatching(/\S/) },
    request_id: id,
  } as never)
  expect(id).toMatch(/^req_/)
  return { status: response.status, ...body.error }
}

describe('version header: "anthropic-version (what SDKs send) or vendor-version; value 2023-06-01. Missing or another value: 400"', () => {
  const versions = (headers: Record<string, string>, path: string) =>
    world.gateway.call(path, BODY, { key, form: 'x-api-key', headers })

  test.each([PATH, COUNT])('%s takes either name', async (path) => {
    for (const name of ['anthropic-version', 'vendor-version', 'Anthropic-Version']) {
      const response = await versions({ [name]: '2023-06-01' }, path)
      expect(response.status).toBe(200)
      await response.text()
      if (path === PATH) expect(world.upstream.last().headers['anthropic-version']).toBe('2023-06-01')
    }
  })

  test.each([PATH, COUNT])('%s takes what the SDK sends since 1.0.0, and passes it on', async (path) => {
    const response = await versions({ 'anthropic-version': '2026-10-21' }, path)
    expect(response.status).toBe(200)
    await response.text()
    if (path === PATH) expect(world.upstream.last().headers['anthropic-version']).toBe('2026-10-21')
  })

  const WRONG: Record<string, string>[] = [
    {},
    { 'anthropic-version': '2023-01-01' },
    { 'anthropic-version': '2026-10-22' },
    { 'anthropic-version': '' },
    { 'anthropic-version': '2023-06-01, 2023-06-01' },
    { 'anthropic-version': 'latest' },
    { 'vendor-version': '2024-06-01' },
    { 'anthropic-version': '2024-06-01', 'vendor-version': '2023-06-01' },
    { 'x-version': '2023-06-01' },
  ]
  test.each([PATH, COUNT].flatMap((path) => WRONG.map((headers) => [path, headers] as const)))(
    '%s with %o: 400',
    async (path, headers) => {
      const before = countsOf(world)
      const { status, type, message } = await errorOf(await versions(headers, path))
      expect({ status, type }).toEqual({ status: 400, type: 'invalid_request_error' })
      expect(message).toContain('2023-06-01')
      await expectUntouched(world, before)
    },
  )
})

describe('anthropic-beta', () => {
  const headers = { 'anthropic-beta': 'context-1m-2025-08-07,interleaved-thinking-2025-05-14' }

  test.each([PATH, COUNT])('%s passes it on to a vendor of the protocol', async (path) => {
    await (await post(BODY, { headers }, path)).text()
    expect(world.upstream.last().headers['anthropic-beta']).toBe(headers['anthropic-beta'])
  })
  test.each(['gemini', 'openai'] as const)('it is not told to %s', async (vendor) => {
    await (await post({ ...BODY, model: MODELS[vendor] }, { headers })).text()
    expect(world.upstream.last().headers).not.toHaveProperty('anthropic-beta')
  })
  test('where there is none, none is made', async () => {
    await (await post(BODY)).text()
    expect(world.upstream.last().headers).not.toHaveProperty('anthropic-beta')
  })
  test.each([
    'authorization',
    'cookie',
    'x-forwarded-for',
    'user-agent',
    'anthropic-dangerous-direct-browser-access',
  ])('no other header of the caller’s reaches the vendor: %s', async (name) => {
    const value = 'told-to-nobody'
    await (await post(BODY, { headers: { [name]: value } })).text()
    expect(JSON.stringify(world.upstream.last().headers)).not.toContain(value)
    expect(JSON.stringify(world.upstream.last().headers)).not.toContain(key)
  })
})

describe('"all fields passed on untouched to an Anthropic provider byte for byte"', () => {
  const given = '"max_tokens":1000,"messages":[{"role":"user","content":"Hi"}]'
  const BODIES: [string, string][] = [
    ['odd white space', `\n {\t"model" : "MODEL" ,\r\n${given} } \n`],
    ['unknown fields', `{"novel":{"a":[1,null,true]},"model":"MODEL",${given},"more":"x"}`],
    ['integers beyond 2^53', `{${given},"model":"MODEL","tools":[{"x":12345678901234567890}]}`],
    ['numbers as they are written', `{"model":"MODEL","temperature":1.0,"top_p":1E-1,"z":-0,${given}}`],
    ['duplicate keys within', `{"model":"MODEL","metadata":{"user_id":"a","user_id":"b"},${given}}`],
    ['escapes of every sort', `{"model":"MODEL","system":"\\u0041\\/\\ud83d\\ude00\\ud800\\n",${given}}`],
    ['the name of a field in a text', `{"system":"\\"model\\":\\"x\\"}","model":"MODEL",${given}}`],
    ['a field named model within', `{"metadata":{"model":"x"},"model":"MODEL",${given}}`],
    [
      'cache_control',
      `{"model":"MODEL","system":[{"type":"text","text":"x","cache_control":{"type":"ephemeral","ttl":"1h"}}],${given}}`,
    ],
    [
      'server tools, MCP and containers',
      `{"model":"MODEL","tools":[{"type":"web_search_20250305","name":"web_search"}],"mcp_servers":[{"type":"url","url":"https://x.test","name":"x"}],"container":"c",${given}}`,
    ],
    [
      'thinking, service_tier, context_management',
      `{"model":"MODEL","thinking":{"type":"enabled","budget_tokens":1024},"service_tier":"auto","context_management":{"edits":[]},${given}}`,
    ],
    ['__proto__ as a key', `{"model":"MODEL","__proto__":{"x":1},"constructor":1,${given}}`],
    ['characters of four bytes', `{"model":"MODEL","system":"😀 é 漢",${given}}`],
  ]
  test.each(BODIES)('%s: identical where the catalogue’s id is the vendor’s', async (_, text) => {
    const sent = text.replace('MODEL', MODEL)
    expect((await post(sent)).status).toBe(200)
    expect(world.upstream.last().body.toString()).toBe(sent)
  })
  test.each(BODIES)('%s: under an alias only the model changes', async (_, text) => {
    expect((await post(text.replace('MODEL', ALIASES.anthropic))).status).toBe(200)
    expect(world.upstream.last().body.toString()).toBe(text.replace('MODEL', MODEL))
  })
  test('also what is counted', async () => {
    world.upstream.answer(whole({ input_tokens: 3 }))
    const text = `{"messages" : [{"role":"user","content":"Hi"}],"x":12345678901234567890,"model":"MODEL"}`
    await post(text.replace('MODEL', ALIASES.anthropic), {}, COUNT)
    expect(world.upstream.last().body.toString()).toBe(text.replace('MODEL', MODEL))
  })
  test.each([
    ['model', `{"model":"claude-opus-4-1","model":"MODEL",${given}}`, 'claude-opus-4-1'],
    ['model, escaped', `{"mod\\u0065l":"claude-opus-4-1","model":"MODEL",${given}}`, 'claude-opus-4-1'],
    ['max_tokens', `{"model":"MODEL","max_tokens":60000,${given}}`, '60000'],
    ['stream', `{"stream":true,"model":"MODEL","stream":false,${given}}`, 'true'],
  ])(
    'a field on which the price hangs, written twice, has one meaning upstream: %s',
    async (_, text, other) => {
      expect((await post(text.replace('MODEL', MODEL))).status).toBe(200)
      expect(world.upstream.last().body.toString()).not.toContain(other)
    },
  )
  test('a thinking that is none stays for the vendor to judge, also where the limit is lowered', async () => {
    const text = `{"model":"${MODEL}","max_tokens":99999,"thinking":"deep","messages":[{"role":"user","content":"Hi"}]}`
    expect((await post(text)).status).toBe(200)
    expect(world.upstream.last().body.toString()).toBe(text.replace('99999', '16384'))
  })
  test('a limit that the balance does not pay is lowered in its own bytes only', async () => {
    key = await world.gateway.caller('0.003')
    const text = `{"model":"${MODEL}","x":1.0, "max_tokens" : 8000,"messages":[{"role":"user","content":"Hi"}]}`
    const response = await post(text)
    expect(response.status).toBe(200)
    const limit = Number(response.headers.get('x-tollgate-output-limit'))
    expect(limit).toBeGreaterThan(256)
    expect(world.upstream.last().body.toString()).toBe(text.replace('8000', String(limit)))
  })
})

describe('answers', () => {
  test('a whole answer passes byte for byte', async () => {
    const odd = ` ${recorded('anthropic', 'whole-tools')[0]?.replace('{', '{ "new_field" : 1.0, ')}\n`
    world.upstream.answer(whole(odd))
    expect(await (await post(BODY)).text()).toBe(odd)
  })
  test.each(['text', 'tools', 'length', 'refused'])(
    'a stream passes byte for byte, ping and all: %s',
    async (name) => {
      const payloads = recorded('anthropic', `stream-${name}`)
      world.upstream.answer(streamOf('anthropic', payloads))
      const response = await post({ ...BODY, stream: true })
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      expect(await response.text()).toBe(payloads.map((payload) => framed('anthropic', payload)).join(''))
    },
  )
  test('events and blocks that nobody knows yet pass too', async () => {
    const [start = '', ...rest] = recorded('anthropic', 'stream-text')
    const novel = [
      start,
      '{"type":"novel_event","x":12345678901234567890}',
      '{"type":"content_block_start","index":9,"content_block":{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}}',
      '{"type":"content_block_stop","index":9}',
      ...rest,
    ]
    world.upstream.answer(streamOf('anthropic', novel))
    const text = await (await post({ ...BODY, stream: true })).text()
    expect(text).toBe(novel.map((payload) => framed('anthropic', payload)).join(''))
  })
  test('mid-stream: the vendor’s error is told as `event: error` in words of the gateway’s, and what came is charged', async () => {
    world.upstream.answer(streamOf('anthropic', recorded('anthropic', 'stream-error')))
    const response = await post({ ...BODY, stream: true })
    expect(response.status).toBe(200)
    const frames = (await response.text()).split('\n\n').filter(Boolean)
    expect(frames.slice(0, -1)).toEqual(
      recorded('anthropic', 'stream-error')
        .slice(0, -1)
        .map((payload) => framed('anthropic', payload).trimEnd()),
    )
    const [event, data = ''] = frames.at(-1)?.split('\n') ?? []
    expect(event).toBe('event: error')
    expect(JSON.parse(data.slice('data: '.length))).toEqual({
      type: 'error',
      error: { type: 'api_error', message: expect.stringContaining('retry') },
      request_id: response.headers.get('request-id'),
    })
    expect(await world.lastCall()).toMatchObject({ outcome: 'broken', estimated: 1, input_tokens: 14 })
  })
  test('an error as the first event: nothing came, nothing is charged', async () => {
    world.upstream.answer(streamOf('anthropic', recorded('anthropic', 'stream-error').slice(-1)))
    const text = await (await post({ ...BODY, stream: true })).text()
    expect(text).toStartWith('event: error\n')
    expect(await world.lastCall()).toMatchObject({ outcome: 'broken', cost_nanos: 0 })
  })
})

describe('error body and types', () => {
  type Case = readonly [status: number, type: string, what: string, ask: () => Promise<Response> | Response]
  const CASES: Case[] = [
    [400, 'invalid_request_error', 'no JSON', () => post('{')],
    [400, 'invalid_request_error', 'no object', () => post('[]')],
    [400, 'invalid_request_error', 'an empty body', () => post('')],
    [400, 'invalid_request_error', 'no model', () => post({ ...BODY, model: undefined })],
    [400, 'invalid_request_error', 'a model that is no name', () => post({ ...BODY, model: 7 })],
    [400, 'invalid_request_error', 'no messages', () => post({ ...BODY, messages: undefined })],
    [400, 'invalid_request_error', 'empty messages', () => post({ ...BODY, messages: [] })],
    [400, 'invalid_request_error', 'no max_tokens', () => post({ ...BODY, max_tokens: undefined })],
    [400, 'invalid_request_error', 'max_tokens below 0', () => post({ ...BODY, max_tokens: -1 })],
    [400, 'invalid_request_error', 'max_tokens in parts', () => post({ ...BODY, max_tokens: 1.5 })],
    [400, 'invalid_request_error', 'max_tokens as text', () => post({ ...BODY, max_tokens: '5' })],
    [400, 'invalid_request_error', 'stream as text', () => post({ ...BODY, stream: 'true' })],
    [400, 'invalid_request_error', 'a message that is none', () => post({ ...BODY, messages: ['x'] })],
    [401, 'authentication_error', 'no key', () => post(BODY, { key: undefined })],
    [401, 'authentication_error', 'an unknown key', () => post(BODY, { key: 'tg_no-such-key-there-is' })],
    [401, 'authentication_error', 'a key in the address', () => post(BODY, { form: 'query' })],
    [
      402,
      'billing_error',
      'an empty balance',
      async () => post(BODY, { key: await world.gateway.caller('0') }),
    ],
    [
      403,
      'permission_error',
      'a key without the model',
      async () => post(BODY, { key: await world.gateway.caller('10', { models: [MODELS.openai] }) }),
    ],
    [403, 'permission_error', 'a suspended account', suspended],
    [404, 'not_found_error', 'no such model', () => post({ ...BODY, model: 'claude-9' })],
    [404, 'not_found_error', 'a retired model', () => post({ ...BODY, model: 'retired' })],
  ]

  async function suspended(): Promise<Response> {
    const { gateway } = world
    const account = await gateway.account(`suspended-${Bun.randomUUIDv7()}`, { balance_usd: '1' })
    const own = gateway.key(account.name)
    suspendAccount(gateway.db, account.name)
    return post(BODY, { key: own })
  }

  test.each(CASES)('%i %s: %s; nothing is held, asked or recorded', async (status, type, _, ask) => {
    const before = countsOf(world)
    expect(await errorOf(await ask())).toMatchObject({ status, type })
    await expectUntouched(world, before)
  })

  test('429 rate_limit_error, with Retry-After', async () => {
    const { gateway } = world
    await gateway.account('limited', { balance_usd: '1' })
    const own = gateway.key('limited')
    await (await post(BODY, { key: own })).text()
    const response = await post(BODY, { key: own })
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await errorOf(response)).toMatchObject({ status: 429, type: 'rate_limit_error' })
  })

  const VENDORS: [number, string, string, () => void][] = [
    [
      400,
      'invalid_request_error',
      'the vendor finds fault with the request',
      () => world.upstream.answer(refusal(400, REFUSAL.anthropic(400, 'messages.0: odd'))),
    ],
    [
      429,
      'rate_limit_error',
      'the vendor is overloaded',
      () =>
        world.upstream.answer(
          refusal(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
        ),
    ],
    [502, 'api_error', 'the vendor fails', () => world.upstream.answer(refusal(500, 'secret words'))],
    [
      502,
      'api_error',
      'the vendor refuses the gateway’s key',
      () => world.upstream.answer(refusal(401, REFUSAL.anthropic(401, 'invalid x-api-key'))),
    ],
    [502, 'api_error', 'the vendor breaks the connection', () => world.upstream.answer(RESET)],
    [502, 'api_error', 'the vendor answers with no JSON', () => world.upstream.answer(whole('<html>'))],
    [502, 'api_error', 'the vendor answers with null', () => world.upstream.answer(whole('null'))],
    [
      502,
      'api_error',
      'the vendor answers 200 with an error',
      () =>
        world.upstream.answer(
          whole({ type: 'error', error: { type: 'api_error', message: 'secret words' } }),
        ),
    ],
  ]
  test.each(VENDORS)('%i %s: %s; all is given back', async (status, type, _, answer) => {
    answer()
    const error = await errorOf(await post(BODY))
    expect(error).toMatchObject({ status, type })
    expect(error.message).not.toContain('secret')
    expect(await world.lastCall()).toMatchObject({ outcome: 'failed', status, cost_nanos: 0 })
  })

  test('504 timeout_error: the vendor is silent', async () => {
    world.upstream.answer(SILENCE)
    expect(await errorOf(await post({ ...BODY, model: 'hasty' }))).toMatchObject({
      status: 504,
      type: 'timeout_error',
    })
    expect(await world.lastCall()).toMatchObject({ outcome: 'failed', status: 504, cost_nanos: 0 })
  })

  test('what the vendor says of the request reaches the caller', async () => {
    world.upstream.answer(refusal(400, REFUSAL.anthropic(400, 'max_tokens: 9000 > 8192')))
    expect((await errorOf(await post(BODY))).message).toContain('max_tokens: 9000 > 8192')
  })

  test.each([
    ['GET', PATH],
    ['PUT', PATH],
    ['POST', '/v1/messages/batches'],
    ['GET', '/v1/messages/batches/b_1/results'],
  ])('404 not_found_error: %s %s', async (method, path) => {
    const headers = VERSION
    const response = await world.gateway.call(path, undefined, { key, form: 'x-api-key', method, headers })
    expect(await errorOf(response)).toMatchObject({ status: 404, type: 'not_found_error' })
    const nobody = await world.gateway.call(path, undefined, { method, headers })
    expect(await errorOf(nobody)).toMatchObject({ status: 401, type: 'authentication_error' })
  })
})

describe('request-id', () => {
  test.each([
    ['a whole answer', PATH, BODY],
    ['a stream', PATH, { ...BODY, stream: true }],
    ['a translated answer', PATH, { ...BODY, model: MODELS.gemini }],
    ['a translated stream', PATH, { ...BODY, model: MODELS.openai, stream: true }],
    ['a count', COUNT, BODY],
    ['an estimated count', COUNT, { ...BODY, model: MODELS.openai }],
  ])('on %s, the same as x-request-id, and each its own', async (_, path, body) => {
    const ids = new Set<string | null>()
    for (let call = 0; call < 2; call++) {
      const response = await post(body, {}, path)
      expect(response.status).toBe(200)
      await response.text()
      expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'))
      ids.add(response.headers.get('request-id'))
    }
    expect(ids.size).toBe(2)
    expect(ids).not.toContain(null)
  })
  test('the SDK finds it, on answers and on errors', async () => {
    const sdk = createAnthropicSdk(world.gateway.url, key)
    const message = await sdk.messages.create({
      model: MODEL,
      max_tokens: 10,
      messages: [{ role: 'user', content: 'x' }],
    })
    expect(message._request_id).toMatch(/^req_/)
  })
})

describe('"Body limit 32 MB"', () => {
  const LIMIT_BYTES = 32 * 1024 * 1024
  /** A request of exactly so many bytes. */
  function bodyOf(bytes: number): Buffer {
    const rest = JSON.stringify({ ...BODY, system: '' })
    return Buffer.from(rest.replace('"system":""', `"system":"${'a'.repeat(bytes - rest.length)}"`))
  }

  test('a body of 32 MB is taken', async () => {
    expect((await post(bodyOf(LIMIT_BYTES))).status).toBe(200)
    expect(world.upstream.last().body.length).toBe(LIMIT_BYTES)
  })
  test.each([PATH, COUNT])('%s: one byte more is 413 request_too_large', async (path) => {
    const before = countsOf(world)
    const error = await errorOf(await post(bodyOf(LIMIT_BYTES + 1), {}, path))
    expect(error).toMatchObject({ status: 413, type: 'request_too_large' })
    expect(error.message).toContain('32 MB')
    await expectUntouched(world, before)
  })
  test('also where the length is not announced', async () => {
    const chunked = inChunks(bodyOf(LIMIT_BYTES + 1), 1024 * 1024)
    const outcome = await post(chunked).then(errorOf, () => 'the connection was closed')
    if (typeof outcome !== 'string') expect(outcome).toMatchObject({ status: 413, type: 'request_too_large' })
  })
})

describe('count_tokens: "passed on where the provider has it, estimated where not; free"', () => {
  const { max_tokens: _, ...countable } = BODY

  test('passed on, and answered as the vendor counts', async () => {
    world.upstream.answer(whole({ input_tokens: 2_095, novel: true }))
    const before = countsOf(world)
    const response = await post(countable, {}, COUNT)
    expect(await response.json()).toEqual({ input_tokens: 2_095, novel: true })
    expect(world.upstream.last().path).toBe('/anthropic/v1/messages/count_tokens')
    expect(world.upstream.last().headers['anthropic-version']).toBe('2023-06-01')
    await expectUntouched(world, { ...before, seen: before.seen + 1 })
  })
  test.each(['gemini', 'openai'] as const)('estimated for %s, who is not asked', async (vendor) => {
    const before = countsOf(world)
    const response = await post({ ...countable, model: MODELS[vendor] }, {}, COUNT)
    const { input_tokens } = (await response.json()) as { input_tokens: number }
    expect(input_tokens).toBeGreaterThan(3)
    expect(input_tokens).toBeLessThan(20)
    await expectUntouched(world, before)
  })
  test('the SDK counts', async () => {
    world.upstream.answer(whole({ input_tokens: 12 }))
    const sdk = createAnthropicSdk(world.gateway.url, key)
    const counted = await sdk.messages.countTokens({
      model: MODEL,
      messages: [{ role: 'user', content: 'x' }],
    })
    expect(counted.input_tokens).toBe(12)
  })
  test('costs nothing: an account without money may count', async () => {
    world.upstream.answer(whole({ input_tokens: 12 }))
    const poor = await world.gateway.caller('0')
    expect((await post(countable, { key: poor }, COUNT)).status).toBe(200)
  })

  const REFUSED: [number, string, object, Partial<CallOptions>][] = [
    [401, 'no key', countable, { key: undefined }],
    [404, 'no such model', { ...countable, model: 'claude-9' }, {}],
    [400, 'no messages', { model: MODEL }, {}],
    [400, 'no model', { messages }, {}],
  ]
  test.each(REFUSED)('%i: %s', async (status, _, body, options) => {
    const before = countsOf(world)
    expect((await errorOf(await post(body, options, COUNT))).status).toBe(status)
    await expectUntouched(world, before)
  })
  test('a key without the model may not count with it', async () => {
    const other = await world.gateway.caller('10', { models: [MODELS.openai] })
    expect((await errorOf(await post(countable, { key: other }, COUNT))).status).toBe(403)
  })
  test.each([
    [400, refusal(400, REFUSAL.anthropic(400, 'messages: odd'))],
    [502, refusal(500, 'x')],
    [429, refusal(529, 'x')],
    [502, RESET],
  ])('%i: the vendor does not count', async (status, answer) => {
    world.upstream.answer(answer)
    const before = countsOf(world)
    expect((await errorOf(await post(countable, {}, COUNT))).status).toBe(status)
    await expectUntouched(world, { ...before, seen: before.seen + 1 })
  })
})

describe('"prompt caching billed (5m and 1h writes, reads at a tenth)", to the nano-dollar', () => {
  const usage = (more: object) => ({ input_tokens: 11, output_tokens: 7, ...more })
  const BASE = 11 * INPUT_NANOS + 7 * OUTPUT_NANOS
  const CASES: [string, object, number, object][] = [
    ['no cache', usage({}), BASE, { cache_read_tokens: 0 }],
    [
      'a read at a tenth',
      usage({ cache_read_input_tokens: 2_048 }),
      BASE + 2_048 * CACHE_READ_NANOS,
      { cache_read_tokens: 2_048 },
    ],
    [
      'a write for 5 minutes',
      usage({
        cache_creation_input_tokens: 400,
        cache_creation: { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 0 },
      }),
      BASE + 400 * CACHE_WRITE_5M_NANOS,
      { cache_write_5m_tokens: 400, cache_write_1h_tokens: 0 },
    ],
    [
      'a write for an hour',
      usage({
        cache_creation_input_tokens: 400,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 400 },
      }),
      BASE + 400 * CACHE_WRITE_1H_NANOS,
      { cache_write_5m_tokens: 0, cache_write_1h_tokens: 400 },
    ],
    [
      'both, and a read',
      usage({
        cache_read_input_tokens: 2_048,
        cache_creation_input_tokens: 400,
        cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 100 },
      }),
      BASE + 2_048 * CACHE_READ_NANOS + 300 * CACHE_WRITE_5M_NANOS + 100 * CACHE_WRITE_1H_NANOS,
      { cache_read_tokens: 2_048, cache_write_5m_tokens: 300, cache_write_1h_tokens: 100 },
    ],
    [
      'a write that is not told apart is for 5 minutes',
      usage({ cache_creation_input_tokens: 400 }),
      BASE + 400 * CACHE_WRITE_5M_NANOS,
      { cache_write_5m_tokens: 400 },
    ],
  ]
  const answerOf = (told: object) => ({
    ...JSON.parse(recorded('anthropic', 'whole-text')[0] ?? ''),
    usage: told,
  })
  const eventsOf = (told: object, delta: object) =>
    streamOf(
      'anthropic',
      recorded('anthropic', 'stream-text').map((line) => {
        const event = JSON.parse(line)
        if (event.type === 'message_start') event.message.usage = { ...told, output_tokens: 1 }
        if (event.type === 'message_delta') event.usage = delta
        return JSON.stringify(event)
      }),
    )

  test.each(CASES)('%s, whole', async (_, told, cost_nanos, fields) => {
    world.upstream.answer(whole(answerOf(told)))
    await (await post(BODY)).text()
    expect(await world.lastCall()).toMatchObject({ cost_nanos, estimated: 0, input_tokens: 11, ...fields })
  })
  test.each(CASES)(
    '%s, streamed: told at the start, restated at the end',
    async (_, told, cost_nanos, fields) => {
      world.upstream.answer(eventsOf(told, told))
      await (await post({ ...BODY, stream: true })).text()
      expect(await world.lastCall()).toMatchObject({ cost_nanos, estimated: 0, ...fields })
    },
  )
  test.each(CASES)('%s, streamed: told at the start only', async (_, told, cost_nanos, fields) => {
    world.upstream.answer(eventsOf(told, { output_tokens: 7 }))
    await (await post({ ...BODY, stream: true })).text()
    expect(await world.lastCall()).toMatchObject({ cost_nanos, estimated: 0, ...fields })
  })
  test('message_delta is cumulative: it replaces, and is never added', async () => {
    const lines = recorded('anthropic', 'stream-text')
    const delta = (output_tokens: number) =>
      JSON.stringify({ type: 'message_delta', delta: {}, usage: { output_tokens } })
    world.upstream.answer(
      streamOf('anthropic', [...lines.slice(0, -2), delta(5), delta(9), ...lines.slice(-2)]),
    )
    await (await post({ ...BODY, stream: true })).text()
    expect(await world.lastCall()).toMatchObject({
      output_tokens: 24,
      cost_nanos: 14 * INPUT_NANOS + 24 * OUTPUT_NANOS,
    })
  })
  test('absent is not zero: without a usage the call is estimated, with zeros it is free', async () => {
    const { usage: _, ...without } = answerOf({})
    world.upstream.answer(whole(without))
    await (await post(BODY)).text()
    const call = await world.lastCall()
    expect(call.estimated).toBe(1)
    expect(call.cost_nanos).toBe(call.input_tokens * INPUT_NANOS + call.output_tokens * OUTPUT_NANOS)
    expect(call.output_tokens).toBeGreaterThan(10)
    world.upstream.answer(whole(answerOf({ input_tokens: 0, output_tokens: 0 })))
    await (await post(BODY)).text()
    expect(await world.lastCall()).toMatchObject({ estimated: 0, cost_nanos: 0 })
  })
})

describe('credentials: "x-api-key, and Authorization: Bearer (SDKs’ authToken)"', () => {
  test.each(['x-api-key', 'bearer'] as const)('%s', async (form) => {
    expect((await post(BODY, { form })).status).toBe(200)
  })
  test.each(['query', 'x-goog-api-key'] as const)('not %s', async (form) => {
    const before = countsOf(world)
    expect(await errorOf(await post(BODY, { form }))).toMatchObject({ status: 401 })
    await expectUntouched(world, before)
  })
  test.each(PROTOCOLS)('the caller’s key is shown to no vendor: %s', async (vendor) => {
    await (await post({ ...BODY, model: MODELS[vendor] })).text()
    const { headers, path, body } = world.upstream.last()
    expect(JSON.stringify([headers, path, body.toString()])).not.toContain(key)
  })
})

test('a stream that is no stream: what came is no answer, and nothing is charged', async () => {
  world.upstream.answer(stream({ send: '{"type":"message"}' }))
  const text = await (await post({ ...BODY, stream: true })).text()
  expect(text).toStartWith('event: error\n')
  expect(await world.lastCall()).toMatchObject({ outcome: 'broken', cost_nanos: 0 })
  world.upstream.answer(events([]))
  expect(await errorOf(await post({ ...BODY, stream: true }))).toMatchObject({ status: 502 })
})
