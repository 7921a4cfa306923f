// The promise: a model's `efforts` list the efforts that it takes; a request for another one becomes the nearest, in each provider's protocol.
import { describe, expect, test } from 'bun:test'
import { type Json, type JsonObject, objectIn, parseObject } from '../../src/protocols/wire/json.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { refusal } from '../support/upstream.ts'

/** The `efforts` of a model's entry, by a name for the list. */
const LISTS = { low_max: '["max", "low"]', high: '["none", "high"]', none: '["none"]' } as const
type List = keyof typeof LISTS

const TARGETS = {
  anthropic: { protocol: 'anthropic', path: '', model: 'claude-opus-4-8', more: '' },
  newest: { protocol: 'anthropic', path: '', model: 'claude-opus-5-5', more: '' },
  gemini: { protocol: 'gemini', path: '', model: 'gemini-3.8-flash', more: '' },
  budget: { protocol: 'gemini', path: '', model: 'gemini-2.5-flash', more: '' },
  chat: { protocol: 'openai', path: '/v1', model: 'own', more: '' },
  mistral: { protocol: 'openai', path: '/v1', model: 'mistral-large-2512', more: 'server = "mistral"' },
  openai: { protocol: 'openai', path: '/v1', model: 'gpt-5.4', more: 'server = "openai"\nresponses = true' },
} as const
type Target = keyof typeof TARGETS

const { call, upstream } = await fileScene({
  more: (url) =>
    Object.entries(TARGETS)
      .map(
        ([name, { protocol, path, model, more }]) =>
          providerSection(name, protocol, `${url}${path}`, `${more}\ncooldown_ms = 0`) +
          Object.entries(LISTS)
            .map(([list, efforts]) =>
              modelSection(`${name}-${list}`, { [name]: model }, { more: `efforts = ${efforts}` }),
            )
            .join(''),
      )
      .join(''),
})

const MESSAGES = [{ role: 'user', content: 'Hi' }]

/** The body that the provider gets for a request. */
async function bodyOf(path: string, body: JsonObject): Promise<JsonObject> {
  upstream.answer(refusal(400))
  const before = upstream.requests.length
  const headers = path === '/v1/messages' ? { 'anthropic-version': '2023-06-01' } : {}
  await (await call(path, body, { headers })).text()
  expect(upstream.requests).toHaveLength(before + 1)
  return parseObject(String(upstream.requests.at(-1)?.body)) ?? {}
}

const effortSent = (body: JsonObject): Json | undefined =>
  body.reasoning_effort ??
  objectIn(body.reasoning).effort ??
  objectIn(body.output_config).effort ??
  objectIn(objectIn(body.generationConfig).thinkingConfig).thinkingLevel

const byChat = (target: Target, list: List, reasoning_effort: string) =>
  bodyOf('/v1/chat/completions', { model: `${target}-${list}`, messages: MESSAGES, reasoning_effort })

describe('a request of chat completions', () => {
  test.each<[Target, List, effort: string, expected: string | undefined]>([
    // Claude: the highest that is not above, else the lowest.
    ['anthropic', 'low_max', 'low', 'low'],
    ['anthropic', 'low_max', 'medium', 'low'],
    ['anthropic', 'low_max', 'xhigh', 'low'],
    ['anthropic', 'low_max', 'max', 'max'],
    ['anthropic', 'low_max', 'minimal', 'low'],
    ['anthropic', 'high', 'low', 'high'],
    ['anthropic', 'high', 'max', 'high'],
    ['anthropic', 'high', 'none', undefined],
    ['anthropic', 'none', 'high', undefined],
    ['newest', 'high', 'none', 'high'],
    ['newest', 'low_max', 'none', 'low'],
    // Gemini: the nearest level; it has four.
    ['gemini', 'low_max', 'low', 'LOW'],
    ['gemini', 'low_max', 'minimal', 'LOW'],
    ['gemini', 'low_max', 'medium', 'HIGH'],
    ['gemini', 'low_max', 'max', 'HIGH'],
    ['gemini', 'high', 'low', 'HIGH'],
    ['gemini', 'none', 'low', undefined],
    // Chat completions and responses: the nearest; `none` only where the request has it.
    ['mistral', 'low_max', 'low', 'low'],
    ['mistral', 'low_max', 'high', 'max'],
    ['mistral', 'low_max', 'none', 'low'],
    ['mistral', 'high', 'minimal', 'high'],
    ['mistral', 'high', 'none', 'none'],
    ['mistral', 'none', 'high', undefined],
    ['openai', 'low_max', 'medium', 'low'],
    ['openai', 'low_max', 'xhigh', 'max'],
    ['openai', 'high', 'low', 'high'],
    ['openai', 'high', 'none', 'none'],
    ['openai', 'none', 'low', undefined],
  ])('to %s, whose model lists %s, for %s', async (target, list, effort, expected) => {
    expect(effortSent(await byChat(target, list, effort))).toBe(expected)
  })

  test.each(['none', 'minimal', 'low', 'high', 'max'])(
    'passes through unchanged to an unknown server: %s',
    async (effort) => {
      expect(effortSent(await byChat('chat', 'high', effort))).toBe(effort)
    },
  )

  test('sends the budget of its effort to a model that takes budgets', async () => {
    const { generationConfig } = await byChat('budget', 'high', 'low')
    expect(objectIn(generationConfig).thinkingConfig).toMatchObject({ thinkingBudget: 1_024 })
  })
})

describe('a translated request', () => {
  const claudeFields = (effort: string): JsonObject => ({
    max_tokens: 4_000,
    thinking: { type: 'adaptive' },
    output_config: { effort },
    messages: MESSAGES,
  })

  test.each<[Target, List, effort: string, expected: string | undefined]>([
    ['chat', 'low_max', 'medium', 'low'],
    ['chat', 'low_max', 'xhigh', 'max'],
    ['chat', 'high', 'low', 'high'],
    ['chat', 'none', 'low', undefined],
    ['mistral', 'high', 'low', 'high'],
    ['openai', 'low_max', 'high', 'max'],
    ['gemini', 'high', 'low', 'HIGH'],
  ])('of messages to %s, whose model lists %s, for %s', async (target, list, effort, expected) => {
    const body = await bodyOf('/v1/messages', { model: `${target}-${list}`, ...claudeFields(effort) })
    expect(effortSent(body)).toBe(expected)
  })

  test.each<[Target, List, effort: string, expected: string]>([
    ['anthropic', 'high', 'low', 'high'],
    ['gemini', 'low_max', 'medium', 'HIGH'],
    ['chat', 'low_max', 'xhigh', 'max'],
  ])('of responses to %s, whose model lists %s, for %s', async (target, list, effort, expected) => {
    const body = await bodyOf('/v1/responses', {
      model: `${target}-${list}`,
      input: 'Hi',
      reasoning: { effort },
    })
    expect(effortSent(body)).toBe(expected)
  })
})

test.each<[List, effort: string, expected: string | undefined]>([
  ['low_max', 'medium', 'low'],
  ['low_max', 'xhigh', 'max'],
  ['high', 'low', 'high'],
  ['none', 'low', undefined],
])(
  "a responses request to OpenAI's own servers, whose model lists %s, for %s",
  async (list, effort, expected) => {
    const body = await bodyOf('/v1/responses', {
      model: `openai-${list}`,
      input: 'Hi',
      reasoning: { effort },
    })
    expect(effortSent(body)).toBe(expected)
  },
)

test.each(['low', 'max'])('a messages request passes through to Claude unchanged: %s', async (effort) => {
  const body = await bodyOf('/v1/messages', {
    model: 'anthropic-high',
    max_tokens: 4_000,
    thinking: { type: 'adaptive' },
    output_config: { effort },
    messages: MESSAGES,
  })
  expect(body.output_config).toEqual({ effort })
})
