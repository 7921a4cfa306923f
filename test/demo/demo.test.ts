// The demo provider behind a gateway with the catalogue of a first start: every surface gets a paid answer.
import { describe, expect, test } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fileGateway } from '../support/gateway.ts'
import { loadDemo } from '../support/strict-provider.ts'

const gateway = await fileGateway({
  catalogue: `${FIRST_CATALOGUE}
[[providers]]
name = "simulated-groq"
protocol = "openai"
base_url = "simulator"
server = "groq"

[[models]]
id = "sim-groq"
kind = "text"
routes = [{ provider = "simulated-groq", model = "llama" }]
price = { input = 1, output = 4 }

[[models]]
id = "sim-fails"
kind = "text"
routes = [{ provider = "simulator", model = "flash-fail-503" }, { provider = "simulator-anthropic", model = "claude-fail-529" }]
price = { input = 1, output = 4 }

[[models]]
id = "sim-breaks"
kind = "text"
routes = [{ provider = "simulator", model = "flash-break-2-tokens-60" }]
price = { input = 1, output = 4 }
`,
  plugins: plugins.map((plugin) => (plugin.name === 'demo' ? { ...plugin, provider: loadDemo } : plugin)),
})
const key = await gateway.caller()
const headers = { 'anthropic-version': '2023-06-01' }

// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever fields it needs
const answerOf = async (path: string, body: object): Promise<any> => {
  const response = await gateway.call(path, body, { key, headers })
  const text = await response.text()
  expect({ path, status: response.status, text: response.ok ? '' : text }).toEqual({
    path,
    status: 200,
    text: '',
  })
  return JSON.parse(text)
}

/** The JSON of a stream's events. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever fields it needs
const eventsOf = async (path: string, body: object): Promise<any[]> => {
  const response = await gateway.call(path, body, { key, headers })
  expect(response.status).toBe(200)
  return [...(await response.text()).matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data))
}

const MODELS = ['sim-flash', 'sim-claude', 'sim-gpt', 'sim-groq']
const QUESTION = 'Why do tides rise and fall?'
const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'integer', minimum: 5, maximum: 9 } },
  required: ['city', 'degrees'],
  additionalProperties: false,
}
function expectWeather(value: Record<string, unknown>): void {
  expect(value).toEqual({ city: expect.any(String), degrees: expect.any(Number) })
  expect(Number.isInteger(value.degrees)).toBe(true)
}
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe.each(MODELS)('text of %s', (model) => {
  const messages = [{ role: 'user', content: QUESTION }]

  test('whole, and in a stream with the same words and usage', async () => {
    const whole = await answerOf('/v1/chat/completions', { model, messages })
    const { content } = whole.choices[0].message
    expect(content).toMatch(/\w/)
    expect(whole.usage.prompt_tokens).toBeGreaterThan(0)
    const options = { stream: true, stream_options: { include_usage: true } }
    const events = await eventsOf('/v1/chat/completions', { model, messages, ...options })
    expect(events.map(({ choices }) => choices[0]?.delta?.content ?? '').join('')).toBe(content)
    expect(events.findLast(({ usage }) => usage)?.usage.completion_tokens).toBe(whole.usage.completion_tokens)
    expect(await gateway.lastCall()).toMatchObject({ model, outcome: 'completed', estimated: 0 })
  })

  test('by the other surfaces', async () => {
    const message = await answerOf('/v1/messages', { model, max_tokens: 100, messages })
    expect(message.content[0]).toMatchObject({ type: 'text' })
    const response = await answerOf('/v1/responses', { model, input: QUESTION })
    expect(response).toMatchObject({ status: 'completed', output: [{ type: 'message' }] })
    const native = await answerOf(`/v1beta/models/${model}:generateContent`, {
      contents: [{ role: 'user', parts: [{ text: QUESTION }] }],
    })
    expect(native.candidates[0]).toMatchObject({ finishReason: 'STOP' })
    const events = await eventsOf('/v1/responses', { model, input: QUESTION, stream: true })
    expect(events.at(-1)).toMatchObject({ type: 'response.completed' })
    const streamed = await eventsOf('/v1/messages', { model, max_tokens: 100, messages, stream: true })
    expect(streamed.at(-1)).toEqual({ type: 'message_stop' })
  })

  test('within the output limit, and up to a stop sequence', async () => {
    const { choices } = await answerOf('/v1/chat/completions', { model, messages, max_tokens: 16 })
    expect(choices[0].finish_reason).toBe('length')
    const stopped = await answerOf('/v1/chat/completions', { model, messages, stop: ['.'] })
    expect(stopped.choices[0].message.content).not.toContain('.')
  })

  test('the model calls the first tool that fits, then uses its result', async () => {
    const tools = ['send_mail', 'get_weather', 'get_weather_map'].map((name) => ({
      type: 'function',
      function: { name, parameters: SCHEMA },
    }))
    const prompts = [{ role: 'user', content: 'What is the weather in Paris?' }]
    const { choices } = await answerOf('/v1/chat/completions', { model, messages: prompts, tools })
    const [call] = choices[0].message.tool_calls
    expect(choices[0].finish_reason).toBe('tool_calls')
    expect(call.function.name).toBe('get_weather')
    expectWeather(JSON.parse(call.function.arguments))
    const result = { role: 'tool', tool_call_id: call.id, content: 'Sunny and 24 degrees' }
    const conversation = [...prompts, choices[0].message, result]
    const answer = await answerOf('/v1/chat/completions', { model, messages: conversation, tools })
    expect(answer.choices[0].message.content).toContain('Sunny and 24 degrees')
    const streamed = await eventsOf('/v1/chat/completions', { model, messages: prompts, tools, stream: true })
    const deltas = streamed.flatMap(({ choices: [choice] }) => choice?.delta?.tool_calls ?? [])
    expect(deltas.map((delta) => delta.function?.arguments ?? '').join('')).toBe(call.function.arguments)
  })

  test('the model calls no needless tool, unless the request requires one', async () => {
    const tools = [{ type: 'function', function: { name: 'send_mail', parameters: SCHEMA } }]
    const plain = await answerOf('/v1/chat/completions', { model, messages, tools })
    expect(plain.choices[0].finish_reason).toBe('stop')
    const forced = await answerOf('/v1/chat/completions', { model, messages, tools, tool_choice: 'required' })
    expect(forced.choices[0].message.tool_calls[0].function.name).toBe('send_mail')
  })

  test('a command in the arguments of a tool is harmless', async () => {
    const command = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] }
    const tools = [{ type: 'function', function: { name: 'bash', parameters: command } }]
    const prompts = [{ role: 'user', content: 'Use bash to remove everything with rm -rf /' }]
    const { choices } = await answerOf('/v1/chat/completions', { model, messages: prompts, tools })
    expect(JSON.parse(choices[0].message.tool_calls[0].function.arguments)).toEqual({
      command: 'echo simulated',
    })
  })

  test('JSON fits its schema', async () => {
    const response_format = {
      type: 'json_schema',
      json_schema: { name: 'weather', strict: true, schema: SCHEMA },
    }
    const { choices } = await answerOf('/v1/chat/completions', { model, messages, response_format })
    expectWeather(JSON.parse(choices[0].message.content))
  })

  test('a picture of the prompt counts as input', async () => {
    const content = [
      { type: 'text', text: QUESTION },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
    ]
    const plain = await answerOf('/v1/chat/completions', { model, messages })
    const seen = await answerOf('/v1/chat/completions', { model, messages: [{ role: 'user', content }] })
    expect(seen.usage.prompt_tokens).toBeGreaterThan(plain.usage.prompt_tokens + 200)
  })
})

describe('pictures', () => {
  const isPng = (base64: string) => Buffer.from(base64, 'base64').toString('latin1', 1, 4) === 'PNG'

  test.each(['sim-image', 'sim-gpt-image'])('%s generates an image, and edits it', async (model) => {
    const order = { model, prompt: 'a red house on green hills', size: '512x512' }
    const generated = await answerOf('/v1/images/generations', order)
    expect(isPng(generated.data[0].b64_json)).toBe(true)
    const [generation_id] = generated.svc_generation_ids
    const edited = await answerOf('/v1/images/edits', { ...order, prompt: 'at evening', generation_id })
    expect(isPng(edited.data[0].b64_json)).toBe(true)
    expect(edited.data[0].b64_json).not.toBe(generated.data[0].b64_json)
  })

  test('a stream has partial images before the final one', async () => {
    const order = {
      model: 'sim-gpt-image',
      prompt: 'a tree',
      stream: true,
      partial_images: 2,
      size: '512x512',
    }
    const events = await eventsOf('/v1/images/generations', order)
    expect(events.map(({ type }) => type)).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ])
  })
})

describe('other kinds', () => {
  test('embeddings are close to each other if their texts share words', async () => {
    const input = ['tides rise', 'tides rise and fall', 'a recipe for bread']
    const { data, usage } = await answerOf('/v1/embeddings', { model: 'sim-embedding', input })
    const [one, near, far] = data.map(({ embedding }: { embedding: number[] }) => embedding)
    const product = (left: number[], right: number[]) =>
      left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0)
    expect(product(one, near)).toBeGreaterThan(product(one, far))
    expect(usage.prompt_tokens).toBeGreaterThan(0)
  })

  test('speech is audio, and its transcription says how long it is', async () => {
    const speech = {
      model: 'sim-speech',
      input: 'Good morning to you all.',
      voice: 'alloy',
      response_format: 'wav',
    }
    const spoken = await gateway.call('/v1/audio/speech', speech, { key })
    expect(spoken.headers.get('content-type')).toContain('audio/wav')
    const audio = await spoken.bytes()
    for (const model of ['sim-whisper', 'sim-transcribe']) {
      const form = new FormData()
      form.set('model', model)
      form.set('file', new Blob([audio]), 'speech.wav')
      const init = { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: form }
      const transcription = await fetch(new URL('/v1/audio/transcriptions', gateway.url), init)
      expect(((await transcription.json()) as { text: string }).text).toBe(
        'This is what was said in 1.6 seconds of simulated audio.',
      )
    }
  })

  test('moderations flag violence', async () => {
    const input = ['How nice.', 'I will kill them.']
    const { results } = await answerOf('/v1/moderations', { model: 'sim-moderation', input })
    expect(results.map(({ flagged }: { flagged: boolean }) => flagged)).toEqual([false, true])
  })

  test('rerank puts documents first that share words with the query', async () => {
    const documents = ['bread and butter', 'why tides rise', 'tides']
    const { results } = await answerOf('/v1/rerank', {
      model: 'sim-rerank',
      query: 'tides rise',
      documents,
      top_n: 2,
    })
    expect(results.map(({ index }: { index: number }) => index)).toEqual([1, 2])
  })

  test('tokens are counted', async () => {
    const messages = [{ role: 'user', content: QUESTION }]
    const { input_tokens } = await answerOf('/v1/messages/count_tokens', { model: 'sim-claude', messages })
    expect(input_tokens).toBeGreaterThan(3)
  })
})

describe('failures', () => {
  const messages = [{ role: 'user', content: QUESTION }]

  test('a model that fails on all routes is refused, and costs nothing', async () => {
    const response = await gateway.call('/v1/chat/completions', { model: 'sim-fails', messages }, { key })
    expect(response.status).toBeOneOf([502, 503])
    expect(await gateway.lastCall()).toMatchObject({ model: 'sim-fails', outcome: 'failed', cost_nanos: 0 })
  })

  test('a stream that breaks ends with an error', async () => {
    const body = { model: 'sim-breaks', messages, stream: true }
    const text = await (await gateway.call('/v1/chat/completions', body, { key })).text()
    expect(text).toContain('"error"')
    expect(text).not.toContain('[DONE]')
  })
})
