// OpenAI's SDK over a real socket: create, stream, parse, a tool loop of three turns, errors; models of all three protocols.
import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { replay, TIDES } from '../support/replay.ts'
import { MODELS, PROTOCOLS } from '../support/three-providers.ts'
import { events, refusal, whole } from '../support/upstream.ts'
import { QUESTION, responsesScene } from './support.ts'

const { gateway, key, upstream, upstreamBody } = await responsesScene()
const client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}v1`, maxRetries: 0 })
const tools: OpenAI.Responses.Tool[] = [
  {
    type: 'function',
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    strict: false,
  },
]

describe.each(PROTOCOLS)('a %s model', (provider) => {
  const model = MODELS[provider]

  test('create', async () => {
    const response = await client.responses.create({ model, input: QUESTION, instructions: 'Be brief.' })
    expect(response.output_text).toBe(TIDES)
    expect(response.usage).toMatchObject({ input_tokens: 14, output_tokens: 24, total_tokens: 38 })
  })

  test('stream: the SDK puts the events together to the same response', async () => {
    const stream = client.responses.stream({ model, input: QUESTION })
    let text = ''
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta
    })
    const response = await stream.finalResponse()
    expect(text).toBe(TIDES)
    expect(response.output_text).toBe(TIDES)
    expect(response.status).toBe('completed')
  })

  test('create with stream: the events one by one', async () => {
    const types: string[] = []
    for await (const event of await client.responses.create({ model, input: QUESTION, stream: true }))
      types.push(event.type)
    expect(types[0]).toBe('response.created')
    expect(types.at(-1)).toBe('response.completed')
  })

  test('a tool loop, continued by id', async () => {
    upstream.answer(replay('tools'))
    const first = await client.responses
      .stream({ model, input: QUESTION, tools, reasoning: { effort: 'low' } })
      .finalResponse()
    const calls = first.output.filter((item) => item.type === 'function_call')
    expect(calls.map(({ name, arguments: args }) => [name, JSON.parse(args)])).toEqual([
      ['get_weather', { city: 'Bergen', days: 2 }],
      ['get_weather', { city: 'Oslo' }],
    ])
    upstream.answer(replay('text'))
    const second = await client.responses.create({
      model,
      tools,
      previous_response_id: first.id,
      input: calls.map(({ call_id }) => ({ type: 'function_call_output' as const, call_id, output: '7' })),
    })
    expect(second.output_text).toBe(TIDES)
    const third = await client.responses.create({
      model,
      tools,
      previous_response_id: second.id,
      input: 'Thanks.',
    })
    expect(third.previous_response_id).toBe(second.id)
    expect(JSON.stringify(upstreamBody())).toContain('Thanks.')
  })
})

test('parse, and parsing streams: the schema goes to the model, and its JSON is parsed', async () => {
  const json = '{"city":"Oslo"}'
  const format = {
    type: 'json_schema' as const,
    name: 'city',
    strict: true,
    schema: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
  }
  const body = { model: MODELS.openai, input: QUESTION, text: { format } }
  upstream.answer(
    events([{ id: 'x', choices: [{ index: 0, delta: { content: json }, finish_reason: 'stop' }] }, '[DONE]']),
  )
  const streamed = await client.responses.stream(body).finalResponse()
  upstream.answer(
    whole({ choices: [{ index: 0, message: { role: 'assistant', content: json }, finish_reason: 'stop' }] }),
  )
  for (const { output_parsed } of [streamed, await client.responses.parse(body)])
    expect(output_parsed as unknown).toEqual({ city: 'Oslo' })
  expect(upstreamBody().response_format).toMatchObject({ json_schema: { name: 'city', strict: true } })
})

describe('errors', () => {
  test('a refused request is the SDK’s BadRequestError with the field', async () => {
    const failed = async () =>
      await client.responses.create({ model: MODELS.openai, input: QUESTION, background: true })
    await expect(failed()).rejects.toMatchObject({ status: 400, param: 'background' })
  })
  test('a provider that fails is a 502, whole and streamed', async () => {
    upstream.answer(refusal(500))
    const body = { model: MODELS.openai, input: QUESTION }
    const create = async (stream: boolean) => await client.responses.create({ ...body, stream })
    await expect(create(false)).rejects.toMatchObject({ status: 502 })
    await expect(create(true)).rejects.toMatchObject({ status: 502 })
  })
  test('a stream that breaks makes the SDK throw its message', async () => {
    const piece = { id: 'x', choices: [{ index: 0, delta: { content: 'Tides' } }] }
    upstream.answer({ headers: { 'content-type': 'text/event-stream' }, steps: [{ event: piece }, 'reset'] })
    const types: string[] = []
    const reads = async () => {
      for await (const { type } of await client.responses.create({
        model: MODELS.openai,
        input: QUESTION,
        stream: true,
      }))
        types.push(type)
    }
    await expect(reads()).rejects.toThrow('interrupted its answer')
    expect(types).toContain('response.output_text.delta')
  })
})
