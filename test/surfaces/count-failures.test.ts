// silent.md, Failures of providers, as callers see them: its table, for counted tokens and calls priced by units, where the error comes under 200.
import { describe, expect, test } from 'bun:test'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { unitModels } from '../support/unit-models.ts'
import { refusal, whole } from '../support/upstream.ts'

const { upstream, call, counts, expectCounts, lastCall } = await fileScene({
  more: (url) => `${unitModels(url)}
[native]
extra_methods = true
${(['anthropic', 'gemini'] as const)
  .map(
    (protocol) => `
${providerSection(`one-${protocol}`, protocol, url, 'cooldown_ms = 0')}
${modelSection(`one-${protocol}`, { [`one-${protocol}`]: 'm' })}
`,
  )
  .join('')}`,
})

type Case = readonly [reported: string, status: number, expected: string]
const GOOGLE: readonly Case[] = [
  ['{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"x"}}', 429, 'RESOURCE_EXHAUSTED'],
  ['{"error":{"code":503,"status":"UNAVAILABLE","message":"x"}}', 502, 'UNAVAILABLE'],
  ['{"error":{"code":500,"status":"INTERNAL","message":"x"}}', 502, 'UNAVAILABLE'],
  ['{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"x"}}', 400, 'INVALID_ARGUMENT'],
  ['<html>', 502, 'UNAVAILABLE'],
]
const anthropicError = (type: string) => JSON.stringify({ type: 'error', error: { type, message: 'x' } })
const ANTHROPIC: readonly Case[] = [
  [anthropicError('rate_limit_error'), 429, 'rate_limit_error'],
  [anthropicError('overloaded_error'), 529, 'overloaded_error'],
  [anthropicError('timeout_error'), 504, 'timeout_error'],
  [anthropicError('api_error'), 502, 'api_error'],
  [anthropicError('invalid_request_error'), 400, 'invalid_request_error'],
  ['<html>', 502, 'api_error'],
]
const openaiError = (type: string) => JSON.stringify({ error: { type, message: 'x' } })
const OPENAI: readonly Case[] = [
  [openaiError('rate_limit_error'), 429, 'rate_limit_error'],
  [openaiError('overloaded_error'), 503, 'server_error'],
  [openaiError('server_error'), 502, 'server_error'],
  [openaiError('invalid_request_error'), 400, 'invalid_request_error'],
  ['<html>', 502, 'server_error'],
]

const SURFACES = {
  'messages, counted': {
    ask: () =>
      call(
        '/v1/messages/count_tokens',
        { model: 'one-anthropic', messages: [{ role: 'user', content: 'x' }] },
        { headers: { 'anthropic-version': '2023-06-01' } },
      ),
    cases: ANTHROPIC,
    is_free: true,
  },
  'native, counted': {
    ask: () => call('/v1beta/models/one-gemini:countTokens', { contents: [{ parts: [{ text: 'x' }] }] }),
    cases: GOOGLE,
    is_free: true,
  },
  moderations: {
    ask: () => call('/v1/moderations', { model: 'judge-paid', input: 'x' }),
    cases: OPENAI,
    is_free: false,
  },
  rerank: {
    ask: () => call('/v1/rerank', { model: 'sorter', query: 'x', documents: ['y'] }),
    cases: OPENAI,
    is_free: false,
  },
} as const

describe.each(Object.entries(SURFACES))('%s', (_name, { ask, cases, is_free }) => {
  test.each(cases)('%s under status 200 is answered with %i %s', async (reported, status, expected) => {
    upstream.answer(whole(reported))
    const before = counts()
    const response = await ask()
    const { error } = (await response.json()) as { error: { type?: string; status?: string } }
    expect([response.status, error.type ?? error.status]).toEqual([status, expected])
    expect(response.headers.has('retry-after')).toBe(false)
    if (is_free) await expectCounts({ ...before, requests: before.requests + 1 })
    else expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })

  test('a 429 of the provider is answered with 429', async () => {
    upstream.answer(refusal(429, { error: { message: 'x' } }))
    expect((await ask()).status).toBe(429)
  })
})
