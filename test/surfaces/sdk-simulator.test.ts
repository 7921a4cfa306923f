// The three SDKs with the simulated models of all three protocols, as the catalogue of a first start has them.

import { describe, expect, test } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import { fileScene } from '../support/scene.ts'
import { CLIENTS, type Client, SURFACES } from '../support/sdk-clients.ts'
import { modelSection } from '../support/sections.ts'
import { PROTOCOLS } from '../support/three-providers.ts'

/** Of OpenAI's current generation, which is called by responses. */
const GPT = modelSection('sim-gpt-6', { 'simulator-openai': 'gpt-6-sol' })
const { gateway, key, lastCall } = await fileScene({ catalogue: () => FIRST_CATALOGUE + GPT })

const MODELS = ['sim-flash', 'sim-claude', 'sim-gpt', 'sim-gpt-6'] as const
const EACH = PROTOCOLS.flatMap((caller) =>
  MODELS.flatMap((model) => [false, true].map((streams) => [caller, model, streams] as const)),
)

/** The provider decides by the prompt whether it calls a tool, so one client asks without naming it. */
const promptsOf = (caller: BuiltInProtocol, streams: boolean): string[] => [
  'Call get_weather, and say what it returns.',
  ...(caller === 'openai' && !streams ? ['What is the weather in Paris?'] : []),
]

const clientOf = (caller: BuiltInProtocol): Client => CLIENTS[caller](gateway.url, key)

describe.each(EACH)('the SDK for %s, %s, streamed: %p', (caller, model, streams) => {
  test('text: the SDK shows the usage that was billed', async () => {
    const pieces: string[] = []
    const client = clientOf(caller)
    const reply = await client.ask({ model, streams, onText: (text) => pieces.push(text) })
    expect(reply.text).toMatch(/\w{3}/)
    if (streams) expect(pieces.join('')).toBe(reply.text)
    const call = await lastCall()
    expect(call).toMatchObject({ surface: SURFACES[caller], model, outcome: 'completed', estimated: 0 })
    expect(reply.usage.written).toBe((call.output_tokens ?? 0) + (call.thinking_tokens ?? 0))
    expect(reply.usage.read).toBe(call.input_tokens ?? 0)
    expect(call.cost_nanos).toBeGreaterThan(0)
  })

  test.each(promptsOf(caller, streams))(
    '%s: a tool is called, and its result is used in the next turn, which ends the loop',
    async (prompt) => {
      const client = clientOf(caller)
      const ask = { model, streams, tools: true, thinks: true, prompt }
      const first = await client.ask(ask)
      expect(first.calls).toHaveLength(1)
      expect(first.calls[0]?.name).toBe('get_weather')
      expect(first.calls[0]?.arguments).toHaveProperty('city')
      const second = await client.ask({ ...ask, after: { reply: first, results: ['twelve degrees'] } })
      expect(second.text).toContain('twelve degrees')
      expect(second.calls).toEqual([])
    },
  )

  test('structured output', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
      additionalProperties: false,
    }
    const reply = await clientOf(caller).ask({ model, streams, schema })
    const { city, days } = JSON.parse(reply.text)
    expect(typeof city).toBe('string')
    expect(Number.isInteger(days)).toBe(true)
  })

  test('thinking, where the provider shows it', async () => {
    const reply = await clientOf(caller).ask({ model, streams, thinks: true })
    // Gemini and OpenAI show thoughts on request only, and chat completions has no field for that.
    const hidden = model === 'sim-gpt' || (model !== 'sim-claude' && caller === 'openai')
    expect(reply.thinking === '').toBe(hidden)
  })

  test('an image', async () => {
    const image = {
      mime: 'image/png',
      data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    }
    const reply = await clientOf(caller).ask({ model, streams, image })
    expect(reply.text).toMatch(/\w{3}/)
  })
})
