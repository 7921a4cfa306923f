// Errors inside a stream: each keeps its kind between all protocols; its words say whether something was charged. An error before
// any output goes to the next route.
import { describe, expect, test } from 'bun:test'
import Anthropic, { APIError } from '@anthropic-ai/sdk'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import { sample } from '../support/long.ts'
import { firstWord, frame, framedSteps, readRecording, streamOf, targetProvider } from '../support/replay.ts'
import { MODELS, PROTOCOLS, TWO_PROVIDERS, threeProviders } from '../support/three-providers.ts'
import { type Step, stream } from '../support/upstream.ts'
import { ERROR_OF, REQUESTS } from './requests.ts'

const { gateway, upstream, call, key, lastCall } = await threeProviders()

type Kind = 'overloaded' | 'limited' | 'late' | 'broken' | 'faulty'

const WORDS = 'secret-free words of the provider'
const anthropicError = (type: string) => ({ type: 'error', error: { type, message: WORDS } })
const openaiError = (type: string, code: string | number | null = null) => ({
  error: { message: WORDS, type, param: null, code },
})
const geminiError = (code: number, status: string) => ({ error: { code, message: WORDS, status } })

/** How each protocol reports each kind as an event. */
const EVENTS: Readonly<Record<BuiltInProtocol, Readonly<Record<Kind, readonly object[]>>>> = {
  gemini: {
    overloaded: [geminiError(503, 'UNAVAILABLE')],
    limited: [geminiError(429, 'RESOURCE_EXHAUSTED')],
    late: [geminiError(504, 'DEADLINE_EXCEEDED')],
    broken: [geminiError(500, 'INTERNAL'), geminiError(403, 'PERMISSION_DENIED'), { error: {} }],
    faulty: [geminiError(400, 'INVALID_ARGUMENT')],
  },
  anthropic: {
    overloaded: [anthropicError('overloaded_error')],
    limited: [anthropicError('rate_limit_error')],
    late: [anthropicError('timeout_error')],
    broken: [
      anthropicError('api_error'),
      anthropicError('authentication_error'),
      anthropicError('new_error'),
    ],
    faulty: [anthropicError('invalid_request_error')],
  },
  openai: {
    overloaded: [
      openaiError('service_unavailable_error'),
      openaiError('server_error', 'server_is_overloaded'),
      openaiError('', 503),
    ],
    limited: [
      openaiError('rate_limit_error'),
      openaiError('tokens', 'rate_limit_exceeded'),
      openaiError('', 429),
    ],
    late: [openaiError('', 504)],
    broken: [openaiError('server_error'), openaiError('', 502), { error: 'in a word' }],
    faulty: [openaiError('invalid_request_error'), openaiError('', 400)],
  },
}

/** The type of error that each caller gets inside a stream. */
const TYPES: Readonly<Record<BuiltInProtocol, Readonly<Record<Kind, string>>>> = {
  gemini: {
    overloaded: 'UNAVAILABLE',
    limited: 'RESOURCE_EXHAUSTED',
    late: 'UNAVAILABLE',
    broken: 'UNAVAILABLE',
    faulty: 'INVALID_ARGUMENT',
  },
  anthropic: {
    overloaded: 'overloaded_error',
    limited: 'rate_limit_error',
    late: 'timeout_error',
    broken: 'api_error',
    faulty: 'invalid_request_error',
  },
  openai: {
    overloaded: 'server_error',
    limited: 'rate_limit_error',
    late: 'server_error',
    broken: 'server_error',
    faulty: 'invalid_request_error',
  },
}

/** Steps that begin an answer without any output, which the gateway has read and passed on by the end of them. */
const START: Readonly<Record<BuiltInProtocol, readonly Step[]>> = {
  gemini: [{ event: { candidates: [{ index: 0 }] } }, 'read'],
  anthropic: [...framedSteps('anthropic', readRecording('anthropic', 'stream-text').slice(0, 1)), 'read'],
  openai: [{ event: { choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }] } }, 'read'],
}

async function lastErrorOf(caller: BuiltInProtocol, provider: BuiltInProtocol, steps: readonly Step[]) {
  upstream.answer(stream(...steps))
  const { path, headers, body } = REQUESTS[caller](MODELS[provider], true)
  const response = await call(path, body, { headers })
  expect(response.status).toBe(200)
  const record = (await response.text()).trimEnd().split('\n\n').at(-1) ?? ''
  return ERROR_OF[caller](JSON.parse(record.slice(record.indexOf('data:') + 'data:'.length)))
}

/** The error of a stream that fails before any output: the answer is not a stream, but an error with a status. */
async function errorBefore(caller: BuiltInProtocol, provider: BuiltInProtocol, steps: readonly Step[]) {
  upstream.answer(stream(...steps))
  const { path, headers, body } = REQUESTS[caller](MODELS[provider], true)
  const response = await call(path, body, { headers })
  expect(response.status).not.toBe(200)
  return ERROR_OF[caller](JSON.parse(await response.text()))
}

const PAIRS = PROTOCOLS.flatMap((caller) => PROTOCOLS.map((provider) => [caller, provider] as const))

const ROWS = PAIRS.map((pair, row) => [...pair, row] as const)

describe.each(ROWS)('a caller of %s, a provider of %s', (caller, provider, row) => {
  const cases = (Object.keys(TYPES[caller]) as Kind[]).flatMap((kind) =>
    EVENTS[provider][kind].map((event) => [kind, JSON.stringify(event)] as const),
  )
  const isFaulty = (kind: Kind) => kind === 'faulty'

  test.each(sample(cases, row))('%s, after output: %s', async (kind, event) => {
    const error = await lastErrorOf(caller, provider, [
      ...framedSteps(provider, firstWord(provider)),
      'read',
      { send: frame(provider, event) },
    ])
    expect(error.type).toBe(TYPES[caller][kind])
    expect(error.message).toContain(isFaulty(kind) ? WORDS : 'Only what was delivered is charged')
    const { cost_nanos, outcome } = await lastCall()
    expect([outcome, cost_nanos > 0]).toEqual(['broken', true])
  })

  test.each(sample(cases, row + 1))(
    '%s, after the beginning of an answer, without output: %s',
    async (kind, event) => {
      const error = await errorBefore(caller, provider, [
        ...START[provider],
        { send: frame(provider, event) },
      ])
      expect(error.type).toBe(TYPES[caller][kind])
      expect(error.message).toContain(isFaulty(kind) ? WORDS : 'Nothing was charged')
      expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
    },
  )

  test('a connection that breaks, or ends, without output: nothing was charged', async () => {
    for (const end of [['reset'], []] as const) {
      const error = await errorBefore(caller, provider, [...START[provider], ...end])
      expect([error.type, error.message]).toEqual([
        TYPES[caller].broken,
        expect.stringContaining('Nothing was charged'),
      ])
      expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
    }
  })
})

test('Anthropic’s SDK throws the type that its provider reported', async () => {
  upstream.answer(
    stream(...START.anthropic, { send: frame('anthropic', JSON.stringify(EVENTS.anthropic.overloaded[0])) }),
  )
  const client = new Anthropic({ apiKey: key, baseURL: gateway.url.origin, maxRetries: 0 })
  const asking = client.messages
    .stream({ model: MODELS.anthropic, max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] })
    .finalMessage()
  const thrown = await asking.catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(APIError)
  expect((thrown as APIError).type).toBe('overloaded_error')
})

describe.each(PROTOCOLS)('an error in the form of another server, from a provider of %s', (provider) => {
  test.each([
    { error: { message: WORDS } },
    { type: 'error', error: { type: 'some_error', message: WORDS } },
    { type: 'error', code: 'server_error', message: WORDS },
    { object: 'error', type: 'InternalServerError', message: WORDS, code: 500 },
  ])('%j', async (event) => {
    const error = await lastErrorOf(provider, provider, [
      ...framedSteps(provider, firstWord(provider)),
      'read',
      { send: `data: ${JSON.stringify(event)}\n\n` },
    ])
    expect(error.type).toBe(TYPES[provider].broken)
    expect(error.message).not.toContain(WORDS)
    expect(await lastCall()).toMatchObject({ outcome: 'broken' })
  })
})

describe('before any output the next route is tried, though it speaks another protocol', () => {
  const start = readRecording('anthropic', 'stream-text')[0] ?? ''
  const error = JSON.stringify(EVENTS.anthropic.overloaded[0])
  const BEGINNINGS: [string, string][] = [
    ['an error as the first event', frame('anthropic', error)],
    ['an error in the same packet as message_start', frame('anthropic', start) + frame('anthropic', error)],
  ]
  test.each(PROTOCOLS.flatMap((caller) => BEGINNINGS.map((beginning) => [caller, ...beginning] as const)))(
    '%s: %s',
    async (caller, _, bytes) => {
      upstream.answer((seen) =>
        targetProvider(seen) === 'anthropic'
          ? stream({ send: bytes })
          : streamOf('openai', readRecording('openai', 'stream-text')),
      )
      const { path, headers, body } = REQUESTS[caller](TWO_PROVIDERS, true)
      const response = await call(path, body, { headers })
      const text = await response.text()
      expect(response.status).toBe(200)
      expect(text).toContain('Tides')
      expect(text).not.toContain('overloaded')
      expect(await lastCall()).toMatchObject({ provider: 'openai', outcome: 'completed', estimated: 0 })
    },
  )
})
