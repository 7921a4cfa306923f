// The simulated models of all protocols with the tool that draws, by OpenAI's SDK: the demo needs no provider's key.
import { describe, expect, test } from 'bun:test'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, streamText } from 'ai'
import OpenAI from 'openai'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fileScene } from '../support/scene.ts'

const { gateway, key, call } = await fileScene({ catalogue: () => FIRST_CATALOGUE })
const client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}v1`, maxRetries: 0 })
type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming
const MODELS = ['sim-flash', 'sim-claude', 'sim-gpt']
const EACH = MODELS.flatMap((model) => [false, true].map((streams) => [model, streams] as const))
const tools: Body['tools'] = [{ type: 'image_generation', size: '512x512' }]

describe.each(EACH)('%s, streamed: %p', (model, streams) => {
  const ask = (body: Body) =>
    streams
      ? client.responses.stream({ ...body, model, tools, stream: true }).finalResponse()
      : client.responses.create({ ...body, model, tools })

  test('draws a cat, and makes it blue', async () => {
    const before = gateway.rows().calls.length
    const first = await ask({ input: 'Draw a cat.' })
    const second = await ask({ input: 'Make it blue.', previous_response_id: first.id })
    for (const [index, { output, output_text, status }] of [first, second].entries()) {
      expect([status, output_text]).toEqual(['completed', 'Here is your picture.'])
      const picture = output.find((item) => item.type === 'image_generation_call')
      expect(picture).toMatchObject({
        action: ['generate', 'edit'][index],
        size: '512x512',
        status: 'completed',
      })
    }
    const { calls } = await gateway.atRest()
    const drawn = calls.slice(before)
    expect(drawn.map((call) => call.model)).toEqual([model, 'sim-image', model, model, 'sim-image', model])
    expect(drawn.every(({ outcome, cost_nanos }) => outcome === 'completed' && cost_nanos > 0)).toBe(true)
  })

  test('does not draw what it is not asked to', async () => {
    const { output } = await ask({ input: 'Tell me about tides.' })
    expect(output.some(({ type }) => type === 'image_generation_call')).toBe(false)
  })
})

test.each(MODELS)(
  '%s, by the AI SDK: its own tool, and the next turn refers to the picture',
  async (model) => {
    const openai = createOpenAI({ apiKey: key, baseURL: `${gateway.url}v1` })
    const asks = {
      model: openai(model),
      tools: { image_generation: openai.tools.imageGeneration({ outputFormat: 'webp' }) },
    }
    const first = await generateText({ ...asks, prompt: 'Draw a cat.' })
    expect([first.text, first.warnings]).toEqual(['Here is your picture.', []])
    const said = { role: 'user', content: 'Draw a cat.' } as const
    const next = { role: 'user', content: 'Make it blue.' } as const
    const second = streamText({ ...asks, messages: [said, ...first.response.messages, next] })
    expect(await second.text).toBe('Here is your picture.')
    const [result] = await second.staticToolResults
    expect(JSON.stringify(result?.output).length).toBeGreaterThan(1_000)
    const page = (await (await call('/api/images/history?limit=2', undefined, { key })).json()) as object
    expect(JSON.stringify(page)).toMatch(/"kind":"edit".*"kind":"generation"/)
  },
)
