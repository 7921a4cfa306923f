// silent.md, Failures of providers, as callers see them: its table, for every surface, every provider's protocol, whole and streamed.
import { describe, expect, test } from 'bun:test'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import { sample } from '../support/long.ts'
import { frame, targetProvider, wantsStream } from '../support/replay.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { PROTOCOLS } from '../support/three-providers.ts'
import { type Answer, RESET, refusal, type Script, SILENCE, stream, whole } from '../support/upstream.ts'
import { REQUESTS, type SurfaceRequest } from './requests.ts'

/** A provider of each protocol, another one with little time, and a model of each kind at either. */
const catalogue = (url: string): string => `
[server]
log_level = "debug"
${PROTOCOLS.flatMap((protocol) => [providerOf(protocol, protocol, url), providerOf(`hasty-${protocol}`, protocol, url, 'first_byte_timeout_ms = 60\ncall_timeout_ms = 60')]).join('\n')}
`
const PRICES = { text: 'input = 1, output = 4', embedding: 'input = 0.02', image: 'per_image = 0.04' }
const KINDS: Readonly<Record<BuiltInProtocol, readonly ('text' | 'embedding' | 'image')[]>> = {
  gemini: ['text', 'embedding', 'image'],
  anthropic: ['text'],
  openai: ['text', 'embedding', 'image'],
}

const providerOf = (name: string, protocol: BuiltInProtocol, url: string, rest = ''): string => `
${providerSection(name, protocol, `${url}/${protocol}`, `cooldown_ms = 0\n${rest}`)}
${KINDS[protocol]
  .map((kind) =>
    modelSection(`${kind}-${name}`, { [name]: `upstream-${kind}` }, { kind, price: PRICES[kind] }),
  )
  .join('')}`

const { upstream, call, lastCall } = await fileScene({ catalogue })

type ErrorShape = readonly [status: number, type: string | undefined, code?: string | null]
/** A provider's failure, by the rows of the table. */
type Row = '429' | 'overloaded' | 'broken' | 'time-out'

interface Surface {
  protocols: readonly BuiltInProtocol[]
  ask(provider: string): SurfaceRequest
  /** Status, type, and code where the surface has one. */
  errors: Readonly<Record<Row, ErrorShape>>
}

const NATIVE: Surface['errors'] = {
  '429': [429, 'RESOURCE_EXHAUSTED'],
  overloaded: [502, 'UNAVAILABLE'],
  broken: [502, 'UNAVAILABLE'],
  'time-out': [502, 'UNAVAILABLE'],
}
const MESSAGES: Surface['errors'] = {
  '429': [429, 'rate_limit_error'],
  overloaded: [529, 'overloaded_error'],
  broken: [502, 'api_error'],
  'time-out': [504, 'timeout_error'],
}
const CHAT: Surface['errors'] = {
  '429': [429, 'rate_limit_error', 'rate_limit_exceeded'],
  overloaded: [503, 'server_error', 'overloaded'],
  broken: [502, 'server_error', 'upstream_error'],
  'time-out': [504, 'server_error', 'upstream_timeout'],
}
const IMAGES: Surface['errors'] = {
  '429': [429, 'invalid_request_error', 'rate_limit_exceeded'],
  overloaded: [502, 'api_error', 'upstream_error'],
  broken: [502, 'api_error', 'upstream_error'],
  'time-out': [408, 'invalid_request_error', 'upstream_timeout'],
}

const text = (errors: Surface['errors'], caller: BuiltInProtocol, streams: boolean): Surface => ({
  protocols: PROTOCOLS,
  ask: (provider) => REQUESTS[caller](`text-${provider}`, streams),
  errors,
})
const to =
  (path: string, kind: string, body: object): Surface['ask'] =>
  (provider) => ({ path, headers: {}, body: { model: `${kind}-${provider}`, ...body } })

const SURFACES: Readonly<Record<string, Surface>> = {
  native: text(NATIVE, 'gemini', false),
  'native, streamed': text(NATIVE, 'gemini', true),
  messages: text(MESSAGES, 'anthropic', false),
  'messages, streamed': text(MESSAGES, 'anthropic', true),
  chat: text(CHAT, 'openai', false),
  'chat, streamed': text(CHAT, 'openai', true),
  responses: { protocols: PROTOCOLS, ask: to('/v1/responses', 'text', { input: 'tides' }), errors: CHAT },
  'responses, streamed': {
    protocols: PROTOCOLS,
    ask: to('/v1/responses', 'text', { input: 'tides', stream: true }),
    errors: CHAT,
  },
  completions: {
    protocols: PROTOCOLS,
    ask: to('/v1/completions', 'text', { prompt: 'tides' }),
    errors: CHAT,
  },
  'completions, streamed': {
    protocols: PROTOCOLS,
    ask: to('/v1/completions', 'text', { prompt: 'tides', stream: true }),
    errors: CHAT,
  },
  embeddings: {
    protocols: ['gemini', 'openai'],
    ask: to('/v1/embeddings', 'embedding', { input: 'tides' }),
    errors: CHAT,
  },
  images: {
    protocols: ['gemini', 'openai'],
    ask: to('/v1/images/generations', 'image', { prompt: 'a red house' }),
    errors: IMAGES,
  },
}

/** An error of each protocol that says overload, as it comes under status 200. */
const OVERLOADED: Readonly<Record<BuiltInProtocol, object>> = {
  gemini: { error: { code: 503, message: 'secret words', status: 'UNAVAILABLE' } },
  anthropic: { type: 'error', error: { type: 'overloaded_error', message: 'secret words' } },
  openai: { error: { message: 'secret words', type: 'service_unavailable_error', param: null, code: null } },
}

/** Under status 200: in a whole answer, or as the first event of a stream. */
const under200: Script = (seen) => {
  const provider = targetProvider(seen)
  const error = OVERLOADED[provider]
  return wantsStream(seen) ? stream({ send: frame(provider, JSON.stringify(error)) }) : whole(error)
}

/** 17 seconds later, by the provider's clock. */
const DATED = { date: 'Sat, 28 Nov 2026 13:00:10 GMT', 'retry-after': 'Sat, 28 Nov 2026 13:00:27 GMT' }

const CASES: [name: string, row: Row, script: Script, of: '' | 'hasty-'][] = [
  ['429', '429', refusal(429, 'secret words', { 'retry-after': '17' }), ''],
  ['429 without a time', '429', refusal(429, 'secret words'), ''],
  ['429 until a date', '429', refusal(429, 'secret words', DATED), ''],
  ['429 for milliseconds', '429', refusal(429, 'secret words', { 'retry-after-ms': '16100' }), ''],
  ['503', 'overloaded', refusal(503, 'secret words'), ''],
  ['529', 'overloaded', refusal(529, 'secret words'), ''],
  ['500', 'broken', refusal(500, 'secret words'), ''],
  [
    '502 of a proxy',
    'broken',
    refusal(502, '<html>secret words</html>', { 'content-type': 'text/html' }),
    '',
  ],
  ['401: it refuses the key', 'broken', refusal(401, 'secret words'), ''],
  ['404: it lacks the model', 'broken', refusal(404, 'secret words'), ''],
  ['nothing: the connection is reset', 'broken', RESET, ''],
  ['no JSON', 'broken', whole('secret words'), ''],
  ['an answer that is cut short', 'broken', whole('{"candidates"'), ''],
  ['504', 'time-out', refusal(504, 'secret words'), ''],
  ['nothing in time', 'time-out', SILENCE, 'hasty-'],
]

for (const [row_of_surface, [name, surface]] of Object.entries(SURFACES).entries()) {
  const rows = surface.protocols.map((protocol, at) => [protocol, row_of_surface + at] as const)
  describe.each(rows)(`${name}: a provider of %s says`, (protocol, row_number) => {
    const fails = async (script: Script, row: Row, provider: string): Promise<Response> => {
      upstream.answer(script)
      const { path, headers, body } = surface.ask(provider)
      const response = await call(path, body, { headers })
      const answer = await response.text()
      const { error } = JSON.parse(answer) as { error: Record<string, unknown> }
      const [status, type, code] = surface.errors[row]
      expect([response.status, error.status ?? error.type]).toEqual([status, type])
      if (code !== undefined) expect(error.code).toBe(code)
      expect(answer).not.toContain('secret')
      expect(error.message).toContain('Nothing was charged')
      expect(await lastCall()).toMatchObject({ outcome: 'failed', status, cost_nanos: 0, price: '' })
      return response
    }

    test.each(sample(CASES, row_number))('%s (%s)', async (what, row, script, of) => {
      const response = await fails(script, row, `${of}${protocol}`)
      const is_timed = row === '429' && what !== '429 without a time'
      expect(response.headers.get('retry-after')).toBe(is_timed ? '17' : null)
    })

    if (name !== 'images')
      test('overload, under status 200', async () => {
        await fails(under200, 'overloaded', protocol)
      })
  })
}

const twoRoutes = await fileScene({
  catalogue: (url) =>
    `${['one', 'two'].map((name) => providerOf(name, 'anthropic', url)).join('\n')}
${modelSection('both', { one: 'first', two: 'second' })}
`,
})

describe('where routes fail differently, the last failure decides; 429 is returned only where all routes did', () => {
  const ORDERS: [first: Answer, second: Answer, row: Row][] = [
    [refusal(429), refusal(429), '429'],
    [refusal(500), refusal(429), 'broken'],
    [refusal(429), refusal(500), 'broken'],
    [refusal(503), refusal(429), 'overloaded'],
    [refusal(500), refusal(503), 'overloaded'],
    [refusal(503), refusal(500), 'broken'],
  ]
  const CALLERS = [
    ['gemini', NATIVE],
    ['anthropic', MESSAGES],
    ['openai', CHAT],
  ] as const
  test.each(
    CALLERS.flatMap(([caller, errors]) => ORDERS.map((order) => [caller, errors, ...order] as const)),
  )('%s', async (caller, errors, first, second, row) => {
    twoRoutes.upstream.answer(({ body }) => (body.includes('"first"') ? first : second))
    const { path, headers, body } = REQUESTS[caller]('both', false)
    const response = await twoRoutes.call(path, body, { headers })
    expect(response.status).toBe(errors[row][0])
    expect(response.headers.has('retry-after')).toBe(false)
  })
})
