// System messages in the middle of a conversation (beta mid-conversation-system): unchanged for Anthropic's providers, translated for others.
import { beforeEach, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fileScene } from '../support/scene.ts'
import { MODELS, threeProviders } from '../support/three-providers.ts'
import { refusal } from '../support/upstream.ts'

const BETA = 'mid-conversation-system-2026-04-07'
const LATER = 'From here on, answer in Latin.'
const MESSAGES = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Hello. What can I do?' },
  { role: 'user', content: 'Why are there tides?' },
  { role: 'system', content: [{ type: 'text', text: LATER }] },
]
const HEADERS = { 'anthropic-version': '2023-06-01', 'anthropic-beta': BETA }
const bodyOf = (model: string, stream = false) => ({
  model,
  max_tokens: 100,
  system: 'Be brief.',
  messages: MESSAGES,
  ...(stream ? { stream } : {}),
})

const { gateway, upstream, call, upstreamBody } = await threeProviders()
const simulated = await fileScene({ catalogue: () => FIRST_CATALOGUE })
beforeEach(() => {
  // Only the upstream request counts here.
  upstream.answer(refusal(400, '{}'))
})

test.each([false, true])(
  "a late system message goes to Anthropic's providers unchanged, with the beta; streamed: %p",
  async (stream) => {
    const body = bodyOf(MODELS.anthropic, stream)
    await (await call('/v1/messages', body, { headers: HEADERS })).text()
    expect(upstreamBody()).toEqual(body)
    expect(upstream.last().headers['anthropic-beta']).toBe(BETA)
    await gateway.rest()
  },
)

test("a late system message goes to Google's after the system instruction", async () => {
  await (await call('/v1/messages', bodyOf(MODELS.gemini), { headers: HEADERS })).text()
  expect(JSON.stringify(upstreamBody().systemInstruction)).toMatch(/Be brief\..*answer in Latin/)
  expect(JSON.stringify(upstreamBody().contents)).not.toContain('Latin')
})

test("a late system message goes to OpenAI's as a system message", async () => {
  await (await call('/v1/messages', bodyOf(MODELS.openai), { headers: HEADERS })).text()
  const { messages } = upstreamBody() as { messages: { role: string; content: unknown }[] }
  const system = messages.filter(({ role }) => role === 'system')
  expect(JSON.stringify(system)).toMatch(/Be brief\..*answer in Latin/)
})

describe('the simulated providers accept them', () => {
  test.each(
    ['sim-claude', 'sim-flash', 'sim-gpt'].flatMap((model) =>
      [false, true].map((stream) => [model, stream] as const),
    ),
  )('%s, streamed: %p', async (model, stream) => {
    const sdk = new Anthropic({ apiKey: simulated.key, baseURL: simulated.gateway.url.origin, maxRetries: 0 })
    const messages = MESSAGES as Anthropic.MessageParam[]
    const request = { model, max_tokens: 2_000, messages }
    const options = { headers: { 'anthropic-beta': BETA } }
    const reply = stream
      ? await sdk.messages.stream(request, options).finalMessage()
      : await sdk.messages.create(request, options)
    expect(reply.content.at(-1)).toMatchObject({ type: 'text', text: expect.stringMatching(/\w{3}/) })
    expect((await simulated.lastCall()).cost_nanos).toBeGreaterThan(0)
  })

  test('a system message after a result does not make the model call the tool again', async () => {
    const response = await simulated.call(
      '/v1/messages',
      {
        model: 'sim-claude',
        max_tokens: 500,
        tools: [{ name: 'get_weather', input_schema: { type: 'object', properties: {} } }],
        messages: [
          { role: 'user', content: 'What is the weather?' },
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'rain' }] },
          { role: 'system', content: LATER },
        ],
      },
      { headers: HEADERS },
    )
    const { stop_reason, content } = (await response.json()) as Anthropic.Message
    expect([stop_reason, JSON.stringify(content)]).toEqual(['end_turn', expect.stringContaining('rain')])
  })
})
