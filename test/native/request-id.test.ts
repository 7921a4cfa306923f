// "structured logs with levels and a request id on every answer and line, no secret in them", for native calls.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { MODEL, PROVIDER_KEYS } from '../support/catalogue.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { answer, ask, piece, streamPath, wholePath } from '../support/native.ts'
import {
  events,
  RESET,
  refusal,
  type Script,
  startUpstream,
  stream,
  type Upstream,
  whole,
} from '../support/upstream.ts'

let upstream: Upstream
let gateway: TestGateway
let key: string

beforeAll(async () => {
  upstream = await startUpstream()
  gateway = await startTestGateway({ upstream })
  key = await gateway.caller()
})
afterAll(async () => {
  await gateway.stop()
  await upstream[Symbol.asyncDispose]()
})

const SECRET_TEXT = 'the-prompt-is-private'
const good: Script = (seen) => (seen.path.includes(':stream') ? events([answer()]) : whole(answer()))

const CASES: [string, number, string, Script, string | undefined, string, string][] = [
  ['a whole call', 200, wholePath(), good, 'key', 'info', 'call'],
  ['a stream', 200, streamPath(), good, 'key', 'info', 'call'],
  [
    'a stream that breaks',
    200,
    streamPath(),
    stream({ event: piece('x') }, 'reset'),
    'key',
    'warn',
    'a stream broke',
  ],
  ['a call without a key', 401, wholePath(), good, undefined, 'info', 'request refused'],
  ['an unknown model', 404, wholePath('none'), good, 'key', 'info', 'request refused'],
  [
    'what is not implemented',
    501,
    `/v1beta/models/${MODEL}:countTokens`,
    good,
    'key',
    'warn',
    'request failed',
  ],
  [
    'a vendor that refuses',
    400,
    wholePath(),
    refusal(400, { error: { message: 'no' } }),
    'key',
    'info',
    'request refused',
  ],
  ['a vendor that fails', 502, wholePath(), refusal(500), 'key', 'warn', 'request failed'],
  ['a vendor that cannot be reached', 502, wholePath(), RESET, 'key', 'warn', 'a route failed'],
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
      await gateway.atRest()
      const lines = gateway.log.lines().filter((line) => line.request_id === request_id)
      expect(lines.map((line) => `${line.level} ${line.message}`)).toContain(`${level} ${message}`)
    },
  )

  test('no two calls have the same', async () => {
    upstream.answer(good)
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const response = await gateway.call(wholePath(), ask(), { key })
        await response.text()
        return response.headers.get('x-request-id')
      }),
    )
    expect(new Set(ids).size).toBe(50)
  })

  test('one that the caller sends is not taken over', async () => {
    upstream.answer(good)
    const headers = { 'x-request-id': 'req_of_the_caller' }
    const response = await gateway.call(wholePath(), ask(), { key, headers })
    expect(response.headers.get('x-request-id')).not.toBe('req_of_the_caller')
  })

  test('it names the call in the books', async () => {
    upstream.answer(good)
    const response = await gateway.call(wholePath(), ask(), { key })
    const request_id = response.headers.get('x-request-id') ?? ''
    const { calls, holds } = await gateway.atRest()
    expect([calls.at(-1)?.request_id, holds.at(-1)?.request_id]).toEqual([request_id, request_id])
  })
})

describe('the log', () => {
  test('has one line for a paid call, with who, what and how much', async () => {
    upstream.answer(good)
    const response = await gateway.call(wholePath(), ask(), { key })
    const request_id = response.headers.get('x-request-id')
    const [line, ...more] = gateway.log.lines().filter((each) => each.request_id === request_id)
    expect(more).toEqual([])
    expect(line).toMatchObject({
      level: 'info',
      message: 'call',
      surface: 'native',
      model: MODEL,
      provider: 'vendor',
      key: key.slice(0, 10),
      outcome: 'completed',
      status: 200,
      cost_usd: '0.00003',
    })
  })

  test('"A key in a query string is redacted wherever a URL is written": it is nowhere, however it was sent', async () => {
    upstream.answer(good)
    for (const form of ['query', 'bearer', 'x-api-key', 'x-goog-api-key'] as const)
      for (const path of [wholePath(), streamPath(), wholePath('none'), '/v1beta/files', '/nowhere']) {
        await (await gateway.call(path, ask(), { key, form })).text()
        await (await gateway.call(path, ask(), { key: `tg_${'w'.repeat(43)}`, form })).text()
      }
    await gateway.atRest()
    const text = gateway.log.text()
    expect(text).not.toContain(key)
    expect(text).not.toContain('w'.repeat(20))
    for (const secret of PROVIDER_KEYS) expect(text).not.toContain(secret)
  })

  test('says of a refused request where it went, without the key in its query', async () => {
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

  test('holds nothing of what callers asked, or vendors answered', async () => {
    upstream.answer(whole(answer(`${SECRET_TEXT} too`)))
    await (await gateway.call(wholePath(), ask(SECRET_TEXT), { key })).text()
    upstream.answer(events([piece(SECRET_TEXT), answer(SECRET_TEXT)]))
    await (await gateway.call(streamPath(), ask(SECRET_TEXT), { key })).text()
    await (await gateway.call(wholePath(), `{"contents": "${SECRET_TEXT}`, { key })).text()
    expect(gateway.log.text()).not.toContain(SECRET_TEXT)
  })

  test('is one JSON object a line', () => {
    for (const line of gateway.log.text().trimEnd().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), time: expect.any(String) })
  })
})
