// silent.md, Messages and Credentials, row by row: the version, the betas, the bytes, the events, the ids, the keys.
import { describe, expect, test } from 'bun:test'
import { frame, readRecording, streamOf } from '../support/replay.ts'
import { createAnthropicSdk } from '../support/sdk-clients.ts'
import { ALIASES, MODELS, PROTOCOLS } from '../support/three-providers.ts'
import { events, stream, whole } from '../support/upstream.ts'
import { BODY, COUNT, errorOf, MODEL, messagesScene, PATH } from './support.ts'

const { gateway, upstream, key, call, post, lastCall, counts, expectCounts } = await messagesScene()

describe('version header: "anthropic-version (what SDKs send) or vendor-version; value 2023-06-01. Missing or another value: 400"', () => {
  const versions = (headers: Record<string, string>, path: string) =>
    call(path, BODY, { form: 'x-api-key', headers })

  test.each([PATH, COUNT])('%s accepts either name', async (path) => {
    for (const name of ['anthropic-version', 'vendor-version', 'Anthropic-Version']) {
      const response = await versions({ [name]: '2023-06-01' }, path)
      expect(response.status).toBe(200)
      await response.text()
      if (path === PATH) expect(upstream.last().headers['anthropic-version']).toBe('2023-06-01')
    }
  })

  test.each([PATH, COUNT])(
    '%s accepts the value that the SDK sends since 1.0.0, and passes it on',
    async (path) => {
      const response = await versions({ 'anthropic-version': '2026-10-21' }, path)
      expect(response.status).toBe(200)
      await response.text()
      if (path === PATH) expect(upstream.last().headers['anthropic-version']).toBe('2026-10-21')
    },
  )

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
      const before = counts()
      const { status, type, message } = await errorOf(await versions(headers, path))
      expect({ status, type }).toEqual({ status: 400, type: 'invalid_request_error' })
      expect(message).toContain('2023-06-01')
      await expectCounts(before)
    },
  )
})

describe('anthropic-beta', () => {
  const headers = { 'anthropic-beta': 'prompt-caching-2024-07-31,interleaved-thinking-2025-05-14' }

  test.each([PATH, COUNT])('%s passes it on to a provider of the protocol', async (path) => {
    await (await post(BODY, { headers }, path)).text()
    expect(upstream.last().headers['anthropic-beta']).toBe(headers['anthropic-beta'])
  })
  test.each(['gemini', 'openai'] as const)('is not sent to a provider of %s', async (provider) => {
    await (await post({ ...BODY, model: MODELS[provider] }, { headers })).text()
    expect(upstream.last().headers).not.toHaveProperty('anthropic-beta')
  })
  test('is not added where the caller sends none, after a call that had one', async () => {
    await (await post(BODY, { headers })).text()
    await (await post(BODY)).text()
    expect(upstream.last().headers).not.toHaveProperty('anthropic-beta')
  })
  test.each([
    'authorization',
    'cookie',
    'x-forwarded-for',
    'user-agent',
    'anthropic-dangerous-direct-browser-access',
    'anthropic-workspace-id',
    'anthropic-organization-id',
    'anthropic-user-profile-id',
    'x-claude-code-session-id',
  ])('no other header of the caller’s is sent upstream: %s', async (name) => {
    const value = 'not-for-providers'
    await (await post(BODY, { headers: { [name]: value } })).text()
    expect(JSON.stringify(upstream.last().headers)).not.toContain(value)
    expect(JSON.stringify(upstream.last().headers)).not.toContain(key)
  })
})

describe('all fields are passed on to a provider of the protocol, byte for byte', () => {
  const rest = '"max_tokens":1000,"messages":[{"role":"user","content":"Hi"}]'
  const BODIES: [string, string][] = [
    ['odd white space', `\n {\t"model" : "MODEL" ,\r\n${rest} } \n`],
    ['unknown fields', `{"novel":{"a":[1,null,true]},"model":"MODEL",${rest},"more":"x"}`],
    ['integers beyond 2^53', `{${rest},"model":"MODEL","tools":[{"x":12345678901234567890}]}`],
    ['numbers as they are written', `{"model":"MODEL","temperature":1.0,"top_p":1E-1,"z":-0,${rest}}`],
    ['duplicate keys inside', `{"model":"MODEL","metadata":{"user_id":"a","user_id":"b"},${rest}}`],
    ['escapes of every kind', `{"model":"MODEL","system":"\\u0041\\/\\ud83d\\ude00\\ud800\\n",${rest}}`],
    ['the name of a field in a text', `{"system":"\\"model\\":\\"x\\"}","model":"MODEL",${rest}}`],
    ['a field named model inside', `{"metadata":{"model":"x"},"model":"MODEL",${rest}}`],
    [
      'cache_control',
      `{"model":"MODEL","system":[{"type":"text","text":"x","cache_control":{"type":"ephemeral","ttl":"1h"}}],${rest}}`,
    ],
    [
      'tools that the caller runs',
      `{"model":"MODEL","tools":[{"type":"bash_20250124","name":"bash"},{"type":"computer_20251124","name":"computer","display_width_px":1.0}],${rest}}`,
    ],
    [
      'thinking, service_tier, context_management',
      `{"model":"MODEL","thinking":{"type":"enabled","budget_tokens":1024},"service_tier":"auto","context_management":{"edits":[]},${rest}}`,
    ],
    ['__proto__ as a key', `{"model":"MODEL","__proto__":{"x":1},"constructor":1,${rest}}`],
    ['characters of four bytes', `{"model":"MODEL","system":"😀 é 漢",${rest}}`],
  ]
  test.each(BODIES)('%s: identical where the catalogue’s id is the provider’s', async (_, text) => {
    const sent = text.replace('MODEL', MODEL)
    expect((await post(sent)).status).toBe(200)
    expect(upstream.last().body.toString()).toBe(sent)
  })
  test.each(BODIES)('%s: under an alias only the model changes', async (_, text) => {
    expect((await post(text.replace('MODEL', ALIASES.anthropic))).status).toBe(200)
    expect(upstream.last().body.toString()).toBe(text.replace('MODEL', MODEL))
  })
  test('in count_tokens, too', async () => {
    upstream.answer(whole({ input_tokens: 3 }))
    const text = `{"messages" : [{"role":"user","content":"Hi"}],"x":12345678901234567890,"model":"MODEL"}`
    await post(text.replace('MODEL', ALIASES.anthropic), {}, COUNT)
    expect(upstream.last().body.toString()).toBe(text.replace('MODEL', MODEL))
  })
  test.each([
    ['model', `{"model":"claude-opus-4-1","model":"MODEL",${rest}}`],
    ['mod\\u0065l', `{"mod\\u0065l":"claude-opus-4-1","model":"MODEL",${rest}}`],
    ['max_tokens', `{"model":"MODEL","max_tokens":60000,${rest}}`],
    ['stream', `{"stream":true,"model":"MODEL","stream":false,${rest}}`],
  ])('a field that decides the price is refused where it is written twice: %s', async (_, text) => {
    const seen = upstream.requests.length
    expect((await post(text.replace('MODEL', MODEL))).status).toBe(400)
    expect(upstream.requests.length).toBe(seen)
  })
  test('an invalid thinking field is left to the provider to refuse, also where the limit is lowered', async () => {
    const text = `{"model":"${MODEL}","max_tokens":99999,"thinking":"deep","messages":[{"role":"user","content":"Hi"}]}`
    expect((await post(text)).status).toBe(200)
    expect(upstream.last().body.toString()).toBe(text.replace('99999', '16384'))
  })
  test('a limit that the balance does not pay for is lowered, and no other byte changes', async () => {
    const poor = await gateway.caller('0.003')
    const text = `{"model":"${MODEL}","x":1.0, "max_tokens" : 8000,"messages":[{"role":"user","content":"Hi"}]}`
    const response = await post(text, { key: poor })
    expect(response.status).toBe(200)
    const limit = Number(response.headers.get('x-tollgate-output-limit'))
    expect(limit).toBeGreaterThan(256)
    expect(upstream.last().body.toString()).toBe(text.replace('8000', String(limit)))
  })
})

describe('answers', () => {
  test('a whole answer passes byte for byte', async () => {
    const odd = ` ${readRecording('anthropic', 'whole-tools')[0]?.replace('{', '{ "new_field" : 1.0, ')}\n`
    upstream.answer(whole(odd))
    expect(await (await post(BODY)).text()).toBe(odd)
  })
  test.each(['text', 'tools', 'length', 'refused'])(
    'a stream passes byte for byte, ping and all: %s',
    async (name) => {
      const payloads = readRecording('anthropic', `stream-${name}`)
      upstream.answer(streamOf('anthropic', payloads))
      const response = await post({ ...BODY, stream: true })
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      expect(await response.text()).toBe(payloads.map((payload) => frame('anthropic', payload)).join(''))
    },
  )
  test('unknown events and blocks pass, too', async () => {
    const [start = '', ...rest] = readRecording('anthropic', 'stream-text')
    const novel = [
      start,
      '{"type":"novel_event","x":12345678901234567890}',
      '{"type":"content_block_start","index":9,"content_block":{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}}',
      '{"type":"content_block_stop","index":9}',
      ...rest,
    ]
    upstream.answer(streamOf('anthropic', novel))
    const text = await (await post({ ...BODY, stream: true })).text()
    expect(text).toBe(novel.map((payload) => frame('anthropic', payload)).join(''))
  })
  test('an error mid-stream is an `event: error` in the gateway’s own words, and the delivered part is charged', async () => {
    upstream.answer(streamOf('anthropic', readRecording('anthropic', 'stream-error')))
    const response = await post({ ...BODY, stream: true })
    expect(response.status).toBe(200)
    const frames = (await response.text()).split('\n\n').filter(Boolean)
    expect(frames.slice(0, -1)).toEqual(
      readRecording('anthropic', 'stream-error')
        .slice(0, -1)
        .map((payload) => frame('anthropic', payload).trimEnd()),
    )
    const [event, data = ''] = frames.at(-1)?.split('\n') ?? []
    expect(event).toBe('event: error')
    expect(JSON.parse(data.slice('data: '.length))).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: expect.stringContaining('retry') },
      request_id: response.headers.get('request-id'),
    })
    expect(await lastCall()).toMatchObject({ outcome: 'broken', estimated: 1, input_tokens: 14 })
  })
  test('an error as the first event: nothing was delivered, nothing is charged', async () => {
    upstream.answer(streamOf('anthropic', readRecording('anthropic', 'stream-error').slice(-1)))
    const response = await post({ ...BODY, stream: true })
    expect([response.status, await response.json()]).toMatchObject([
      529,
      { error: { type: 'overloaded_error' } },
    ])
    expect(await lastCall()).toMatchObject({ outcome: 'failed', status: 529, cost_nanos: 0 })
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
  ])('on %s, the same as x-request-id, and different for each call', async (_, path, body) => {
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
  test('the SDK finds it', async () => {
    const sdk = createAnthropicSdk(gateway.url, key)
    const message = await sdk.messages.create({
      model: MODEL,
      max_tokens: 10,
      messages: [{ role: 'user', content: 'x' }],
    })
    expect(message._request_id).toMatch(/^req_/)
  })
})

describe('credentials: "x-api-key, and Authorization: Bearer (SDKs’ authToken)"', () => {
  test.each(['x-api-key', 'bearer'] as const)('%s', async (form) => {
    expect((await post(BODY, { form })).status).toBe(200)
  })
  test.each(['query', 'x-goog-api-key'] as const)('not %s', async (form) => {
    const before = counts()
    expect(await errorOf(await post(BODY, { form }))).toMatchObject({ status: 401 })
    await expectCounts(before)
  })
  test.each(PROTOCOLS)('the caller’s key is not sent to a provider: %s', async (provider) => {
    await (await post({ ...BODY, model: MODELS[provider] })).text()
    const { headers, path, body } = upstream.last()
    expect(JSON.stringify([headers, path, body.toString()])).not.toContain(key)
  })
})

test('an answer that is not a stream of events is a failure, and nothing is charged', async () => {
  upstream.answer(stream({ send: '{"type":"message"}' }))
  expect(await errorOf(await post({ ...BODY, stream: true }))).toMatchObject({ status: 502 })
  expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  upstream.answer(events([]))
  expect(await errorOf(await post({ ...BODY, stream: true }))).toMatchObject({ status: 502 })
})
