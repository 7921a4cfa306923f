// Request ids and the log, for native calls: an id on every answer and line, levels, and no secret in any of them.
import { describe, expect, test } from 'bun:test'
import { MODEL, PROVIDER, PROVIDER_KEYS } from '../support/catalogue.ts'
import { answer, answering, ask, piece, streamPath, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { events, RESET, refusal, type Script, stream, whole } from '../support/upstream.ts'

const { gateway, upstream, key, call } = await fileScene()

const SECRET_TEXT = 'the-prompt-is-private'

const CASES: [string, number, string, Script, string | undefined, string, string][] = [
  ['a whole call', 200, wholePath(), answering, 'key', 'info', 'call'],
  ['a stream', 200, streamPath(), answering, 'key', 'info', 'call'],
  [
    'a stream that breaks',
    200,
    streamPath(),
    stream({ event: piece('x') }, 'reset'),
    'key',
    'warn',
    'a stream broke',
  ],
  ['a call without a key', 401, wholePath(), answering, undefined, 'info', 'request refused'],
  ['an unknown model', 404, wholePath('none'), answering, 'key', 'info', 'request refused'],
  [
    'a method that is not implemented',
    501,
    `/v1beta/models/${MODEL}:countTokens`,
    answering,
    'key',
    'warn',
    'request failed',
  ],
  [
    'a provider that refuses',
    400,
    wholePath(),
    refusal(400, { error: { message: 'no' } }),
    'key',
    'info',
    'request refused',
  ],
  ['a provider that fails', 502, wholePath(), refusal(500), 'key', 'warn', 'request failed'],
  ['a provider that cannot be reached', 502, wholePath(), RESET, 'key', 'warn', 'a route failed'],
]

describe('x-request-id', () => {
  test.each(CASES)(
    '%s: on the answer and in the log',
    async (_, status, path, script, with_key, level, message) => {
      upstream.answer(script)
      const response = await gateway.call(path, ask(SECRET_TEXT), with_key ? { key } : {})
      await response.text()
      expect(response.status).toBe(status)
      const request_id = response.headers.get('x-request-id') ?? ''
      expect(request_id).toMatch(/^req_[A-Za-z0-9_-]{22}$/)
      await gateway.rest()
      const lines = gateway.log.lines().filter((line) => line.request_id === request_id)
      expect(lines.map((line) => `${line.level} ${line.message}`)).toContain(`${level} ${message}`)
    },
  )

  test('no two calls have the same id', async () => {
    upstream.answer(answering)
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const response = await call(wholePath(), ask())
        await response.text()
        return response.headers.get('x-request-id')
      }),
    )
    expect(new Set(ids).size).toBe(50)
  })

  test('an id that the caller sends is not adopted', async () => {
    upstream.answer(answering)
    const headers = { 'x-request-id': 'req_of_the_caller' }
    const response = await call(wholePath(), ask(), { headers })
    expect(response.headers.get('x-request-id')).not.toBe('req_of_the_caller')
  })

  test('the call is recorded under its id', async () => {
    upstream.answer(answering)
    const response = await call(wholePath(), ask())
    const request_id = response.headers.get('x-request-id') ?? ''
    const { calls, holds } = await gateway.atRest()
    expect([calls.at(-1)?.request_id, holds.at(-1)?.request_id]).toEqual([request_id, request_id])
  })
})

describe('the log', () => {
  test('has one line for a paid call: key, model, provider, outcome and cost', async () => {
    upstream.answer(answering)
    const response = await call(wholePath(), ask())
    const request_id = response.headers.get('x-request-id')
    const [line, ...more] = gateway.log.lines().filter((each) => each.request_id === request_id)
    expect(more).toEqual([])
    expect(line).toMatchObject({
      level: 'info',
      message: 'call',
      surface: 'native',
      model: MODEL,
      provider: PROVIDER,
      key: key.slice(0, 10),
      outcome: 'completed',
      status: 200,
      cost_usd: '0.00003',
    })
  })

  test('"A key in a query string is redacted wherever a URL is written": it is in no line, however it was sent', async () => {
    upstream.answer(answering)
    for (const form of ['query', 'bearer', 'x-api-key', 'x-goog-api-key'] as const)
      for (const path of [wholePath(), streamPath(), wholePath('none'), '/v1beta/files', '/nowhere']) {
        await (await call(path, ask(), { form })).text()
        await (await gateway.call(path, ask(), { key: `tg_${'w'.repeat(43)}`, form })).text()
      }
    await gateway.rest()
    const text = gateway.log.text()
    expect(text).not.toContain(key)
    expect(text).not.toContain('w'.repeat(20))
    for (const secret of PROVIDER_KEYS) expect(text).not.toContain(secret)
  })

  test('shows the path of a refused request, without the key in its query', async () => {
    const target = '/v1beta/models/nobody:generateContent?alt=sse&key=not-a-key-at-all'
    const response = await gateway.call(target, ask(), {})
    await response.text()
    expect(response.status).toBe(401)
    const request_id = response.headers.get('x-request-id')
    expect(gateway.log.lines().find((line) => line.request_id === request_id)).toMatchObject({
      method: 'POST',
      path: '/v1beta/models/nobody:generateContent?alt=sse&key=[hidden]',
    })
  })

  test('holds nothing of prompts and answers', async () => {
    upstream.answer(whole(answer(`${SECRET_TEXT} too`)))
    await (await call(wholePath(), ask(SECRET_TEXT))).text()
    upstream.answer(events([piece(SECRET_TEXT), answer(SECRET_TEXT)]))
    await (await call(streamPath(), ask(SECRET_TEXT))).text()
    await (await call(wholePath(), `{"contents": "${SECRET_TEXT}`)).text()
    expect(gateway.log.text()).not.toContain(SECRET_TEXT)
  })

  test('is one JSON object a line', () => {
    for (const line of gateway.log.text().trimEnd().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), time: expect.any(String) })
  })
})
