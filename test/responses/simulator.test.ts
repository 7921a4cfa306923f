// The simulated models of all three protocols behind responses, with OpenAI's SDK: no provider's key is needed.
import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fileScene } from '../support/scene.ts'
import { memoryStore, pluginsWith } from './support.ts'

const { gateway, key, lastCall } = await fileScene({
  catalogue: () => FIRST_CATALOGUE,
  plugins: pluginsWith(memoryStore()),
})
const client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}v1`, maxRetries: 0 })
type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>
type Item = OpenAI.Responses.ResponseInputItem
/** Output items are sent back as they came. */
const itemsOf = ({ output }: OpenAI.Responses.Response): Item[] => output as Item[]
const MODELS = ['sim-flash', 'sim-claude', 'sim-gpt']
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const EACH = MODELS.flatMap((model) => [false, true].map((streams) => [model, streams] as const))

describe.each(EACH)('%s, streamed: %p', (model, streams) => {
  const ask = async (body: Body): Promise<OpenAI.Responses.Response> =>
    streams
      ? await client.responses.stream({ ...body, model }).finalResponse()
      : await client.responses.create({ ...body, model })

  test('text: the response shows the usage that was billed', async () => {
    const response = await ask({ input: 'Tell me about tides.' })
    expect(response.output_text).toMatch(/\w{3}/)
    const call = await lastCall()
    expect(call).toMatchObject({ surface: 'responses', model, outcome: 'completed', estimated: 0 })
    expect(response.usage).toMatchObject({
      input_tokens: call.input_tokens + call.cache_read_tokens,
      output_tokens: call.output_tokens + call.thinking_tokens,
    })
    expect(call.cost_nanos).toBeGreaterThan(0)
  })

  test('a tool loop of three turns, sent back whole', async () => {
    const tools: Body['tools'] = [
      {
        type: 'function',
        name: 'get_weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        strict: false,
      },
    ]
    const rest = { tools, store: false, reasoning: { effort: 'low', summary: 'auto' } } as const
    const input: Item[] = [{ role: 'user', content: 'Call get_weather, and say what it returns.' }]
    for (const result of ['twelve degrees', 'thirteen degrees']) {
      const first = await ask({ ...rest, input })
      const call = first.output.find((item) => item.type === 'function_call')
      expect(call?.name).toBe('get_weather')
      expect(JSON.parse(call?.arguments ?? '')).toHaveProperty('city')
      input.push(...itemsOf(first), {
        type: 'function_call_output',
        call_id: call?.call_id ?? '',
        output: result,
      })
      const second = await ask({ ...rest, input })
      expect(second.output_text).toContain(result)
      input.push(...itemsOf(second), { role: 'user', content: 'Call get_weather again.' })
    }
  })

  test('structured output', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
      additionalProperties: false,
    }
    const format = { type: 'json_schema', name: 'trip', schema, strict: true } as const
    const { city, days } = JSON.parse((await ask({ input: 'A trip.', text: { format } })).output_text)
    expect([typeof city, typeof days]).toEqual(['string', 'number'])
  })

  test('an image in', async () => {
    const content = [{ type: 'input_image' as const, image_url: PIXEL, detail: 'auto' as const }]
    await ask({ input: 'x' })
    const { input_tokens } = await lastCall()
    expect((await ask({ input: [{ role: 'user', content }] })).status).toBe('completed')
    expect((await lastCall()).input_tokens).toBeGreaterThan(input_tokens + 100)
  })

  test('a conversation is continued, and an answer is cut at its limit', async () => {
    const first = await ask({ input: 'The word is zanzibar.' })
    const second = await ask({ input: 'Go on.', previous_response_id: first.id, max_output_tokens: 300 })
    expect(second.previous_response_id).toBe(first.id)
    expect(second.usage?.input_tokens ?? 0).toBeGreaterThan(first.usage?.input_tokens ?? 0)
    const cut = await ask({ input: 'Go on.', max_output_tokens: 16, reasoning: { effort: 'none' } })
    expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
  })
})
