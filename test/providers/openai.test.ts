// The simulated chat completions API: shapes, usage, choices, probabilities, refusals in its form.
import { afterAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { openai } from '../../src/protocols/openai/index.ts'
import { toByteString } from '../../src/protocols/wire/byte-string.ts'
import { createSimulator } from './index.ts'
import { createProvider } from './provider.ts'
import { pairs, recordedPairs } from './shapes.ts'

type Body = Record<string, unknown>
type Completion = OpenAI.ChatCompletion & { error?: { type: string; code: string; param: string } }
type Chunk = OpenAI.ChatCompletionChunk

const user = (content: unknown) => ({ role: 'user', content })
const ask = (content: unknown = 'Why do tides rise?', more: Body = {}): Body => ({
  model: 'gpt',
  messages: [user(content)],
  ...more,
})
const functionOf = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { zone: { type: 'string' } } } },
})
const TOOLS = [functionOf('get_time'), functionOf('get_rain')]
const WITH_USAGE = { stream_options: { include_usage: true } }

function createGpt() {
  const provider = createProvider()
  const post = (body: unknown, path = '/v1/chat/completions', init: RequestInit = {}) =>
    provider.fetch(
      new Request(`http://provider${path}`, { method: 'POST', body: JSON.stringify(body), ...init }),
    )
  return {
    ...provider,
    post,
    whole: async (body: Body) => (await (await post(body)).json()) as Completion,
    text: async (body: Body) => (await post({ ...body, stream: true })).text(),
    chunks: async (body: Body): Promise<Chunk[]> =>
      chunksOf(await (await post({ ...body, stream: true })).text()),
  }
}

const payloadsOf = (text: string) =>
  text
    .split('\n\n')
    .filter((record) => record !== '')
    .map((record) => record.replace(/^data: /, ''))
const chunksOf = (text: string): Chunk[] =>
  payloadsOf(text)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data))

describe('shapes match the recordings: the same names', () => {
  // The order of keys differs between models; their names do not.
  const names = (found: Iterable<string>) => new Set([...found].map((pair) => pair.replace(/ < .*/, '')))
  const recorded = names(
    recordedPairs('openai', /^(stream|whole)-(text|tools|length|refused|logprobs|two-answers)/),
  )
  test.each<[name: string, body: Body]>([
    ['text', ask('Tides?', WITH_USAGE)],
    ['tools', ask('get_time and get_rain', { tools: TOOLS, ...WITH_USAGE })],
    ['a limit', ask('Tides?', { max_completion_tokens: 3 })],
    ['a refusal', ask('SIMULATE_BLOCK')],
    ['probabilities', ask('Tides?', { logprobs: true, top_logprobs: 2 })],
    ['two choices', ask('Tides?', { n: 2, ...WITH_USAGE })],
  ])('%s', async (_name, body) => {
    const gpt = createGpt()
    const { stream_options, ...rest } = body
    const answers = [await gpt.whole(rest), ...(await gpt.chunks(body))]
    const unexpected = [...names(answers.flatMap((answer) => pairs(answer)))].filter(
      (name) => !recorded.has(name),
    )
    expect(unexpected.filter((name) => !name.startsWith('.choices.logprobs'))).toEqual([])
  })
})

describe('streams', () => {
  test('end with [DONE], but not after an error', async () => {
    const gpt = createGpt()
    expect(await gpt.text(ask())).toEndWith('}\n\ndata: [DONE]\n\n')
    const broken = await gpt.text(ask('Tides?', { model: 'gpt-error-2' }))
    expect(broken).not.toContain('[DONE]')
    expect(payloadsOf(broken)).toHaveLength(3)
    expect(JSON.parse(payloadsOf(broken).at(-1) ?? '')).toMatchObject({ error: { type: 'server_error' } })
  })

  test('usage comes only on request, in a chunk of its own', async () => {
    const gpt = createGpt()
    for (const chunk of await gpt.chunks(ask())) expect(chunk).not.toHaveProperty('usage')
    const chunks = await gpt.chunks(ask('Tides?', WITH_USAGE))
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: expect.any(Number) } })
    for (const chunk of chunks.slice(0, -1)) expect(chunk.usage).toBeNull()
  })

  test.each<[name: string, body: Body]>([
    ['text', ask()],
    ['tools', ask('get_time and get_rain', { tools: TOOLS })],
    ['a limit', ask('Tides?', { max_tokens: 5, reasoning_effort: 'none' })],
    ['three choices', ask('Tides?', { n: 3 })],
  ])(
    '%s: a stream adds up to the whole answer, and the gateway reads the same usage',
    async (_name, body) => {
      const gpt = createGpt()
      const whole = await gpt.whole(body)
      const chunks = await gpt.chunks({ ...body, ...WITH_USAGE })
      const reading = openai.text.stream.open()
      for (const chunk of chunks) reading.read(toByteString(Buffer.from(JSON.stringify(chunk))))
      expect(reading.usage()).toEqual(openai.text.readUsage(JSON.parse(JSON.stringify(whole))))
      for (const { index, message, finish_reason } of whole.choices) {
        const mine = chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index))
        expect(mine.map(({ delta }) => delta.content ?? '').join('')).toBe(message.content ?? '')
        expect(mine.at(-1)?.finish_reason).toBe(finish_reason)
        const calls = mine.flatMap(({ delta }) => delta.tool_calls ?? [])
        for (const [at, call] of (message.tool_calls ?? []).entries()) {
          const pieces = calls.filter((piece) => piece.index === at)
          expect(pieces[0]).toMatchObject({ id: call.id, type: 'function' })
          expect(pieces.map((piece) => piece.function?.arguments).join('')).toBe(
            call.type === 'function' ? call.function.arguments : '',
          )
        }
      }
    },
  )

  test('the gateway reads the usage that the simulator counts', async () => {
    const gpt = createGpt()
    const whole = await gpt.whole(ask('Tides?', { n: 2 }))
    const finished = gpt.seen.at(-1)
    if (finished?.kind !== 'finished') throw new Error('was not finished')
    expect(openai.text.readUsage(JSON.parse(JSON.stringify(whole)))).toMatchObject({
      input_tokens: finished.totals.prompt,
      output_tokens: finished.totals.output,
      thinking_tokens: finished.totals.thinking,
    })
    const { usage } = whole
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0))
  })

  test('events-N streams N chunks', async () => {
    expect(await createGpt().chunks(ask('Tides?', { model: 'gpt-events-40' }))).toHaveLength(40)
    expect(await createGpt().chunks(ask('Tides?', { model: 'gpt-events-40', ...WITH_USAGE }))).toHaveLength(
      40,
    )
  })

  test('truncate sends half of the last JSON', async () => {
    const text = await createGpt().text(ask('Tides?', { model: 'gpt-truncate' }))
    expect(() => JSON.parse(payloadsOf(text).at(-1) ?? '')).toThrow()
  })

  test('nousage reports none, even on request', async () => {
    expect(await createGpt().text(ask('Tides?', { model: 'gpt-nousage', ...WITH_USAGE }))).not.toMatch(
      /"prompt_tokens"/,
    )
  })
})

describe('answers', () => {
  test.each<[name: string, body: Body, reason: string]>([
    ['the end', ask(), 'stop'],
    ['the limit', ask('Tides?', { max_tokens: 3 }), 'length'],
    ['a stop sequence', ask('Tides?', { stop: '.' }), 'stop'],
    ['a tool', ask('get_time', { tools: TOOLS }), 'tool_calls'],
    ['safety', ask('Tides?', { model: 'gpt-safety' }), 'content_filter'],
    ['a blocked prompt', ask('SIMULATE_BLOCK'), 'stop'],
  ])('finish_reason: %s', async (_name, body, finish_reason) => {
    expect((await createGpt().whole(body)).choices).toMatchObject([{ finish_reason }])
  })

  test('a blocked prompt has a refusal in words', async () => {
    const { choices } = await createGpt().whole(ask('SIMULATE_BLOCK'))
    expect(choices[0]?.message).toMatchObject({ content: null, refusal: expect.stringMatching(/\S/) })
  })

  test('the seed decides the text, and the choices differ', async () => {
    const gpt = createGpt()
    const texts = async (more: Body) =>
      (await gpt.whole(ask('Why do tides rise?', more))).choices.map(({ message }) => message.content)
    expect(await texts({ seed: 7 })).toEqual(await texts({ seed: 7 }))
    expect(await texts({ seed: 7 })).not.toEqual(await texts({ seed: 8 }))
    expect(new Set(await texts({ n: 3 })).size).toBe(3)
  })

  test.each<[effort: string | undefined, min: number, max: number]>([
    ['none', 0, 0],
    ['minimal', 1, 4],
    ['low', 1, 32],
    [undefined, 24, 1_000],
  ])('reasoning_effort %s', async (reasoning_effort, min, max) => {
    const { usage } = await createGpt().whole(ask('Tides?', reasoning_effort ? { reasoning_effort } : {}))
    const reasoned = usage?.completion_tokens_details?.reasoning_tokens ?? -1
    expect(reasoned).toBeGreaterThanOrEqual(min)
    expect(reasoned).toBeLessThanOrEqual(max)
    expect(usage?.completion_tokens).toBeGreaterThan(reasoned)
  })

  test('follows a schema', async () => {
    const schema = { type: 'object', properties: { height: { type: 'integer', minimum: 3, maximum: 3 } } }
    const response_format = { type: 'json_schema', json_schema: { name: 'tide', schema } }
    const { choices } = await createGpt().whole(ask('Tides?', { response_format }))
    expect(choices[0]?.message.content).toBe('{"height":3}')
    const free = await createGpt().whole(ask('Tides, as JSON?', { response_format: { type: 'json_object' } }))
    expect(JSON.parse(free.choices[0]?.message.content ?? '')).toBeObject()
  })

  test.each<[name: string, more: Body, expected: string[]]>([
    ['all mentioned ones', {}, ['get_time', 'get_rain']],
    ['one at a time', { parallel_tool_calls: false }, ['get_time']],
    ['the named one', { tool_choice: { type: 'function', function: { name: 'get_rain' } } }, ['get_rain']],
    ['none', { tool_choice: 'none' }, []],
  ])('tools: %s', async (_name, more, expected) => {
    const { choices } = await createGpt().whole(ask('get_time and get_rain', { tools: TOOLS, ...more }))
    const calls = choices[0]?.message.tool_calls ?? []
    expect(calls.map((call) => call.type === 'function' && call.function.name)).toEqual(expected)
  })

  test('uses the results of tools in the next turn', async () => {
    const gpt = createGpt()
    const [first] = (await gpt.whole(ask('get_time', { tools: TOOLS }))).choices
    const messages = [
      user('get_time'),
      first?.message,
      { role: 'tool', tool_call_id: first?.message.tool_calls?.[0]?.id, content: 'half past nine' },
    ]
    const [second] = (await gpt.whole({ ...ask(), tools: TOOLS, messages })).choices
    expect(second?.message.content).toContain('get_time returned "half past nine"')
  })

  test('probabilities: one for each token, the chosen one first, with as many others as requested', async () => {
    const gpt = createGpt()
    const [choice] = (await gpt.whole(ask('Tides?', { logprobs: true, top_logprobs: 3 }))).choices
    const content = choice?.logprobs?.content ?? []
    expect(content.map(({ token }) => token).join('')).toBe(choice?.message.content ?? '')
    for (const { token, logprob, bytes, top_logprobs } of content) {
      expect(logprob).toBeLessThanOrEqual(0)
      expect(Buffer.from(bytes ?? []).toString()).toBe(token)
      expect(top_logprobs).toHaveLength(3)
      expect(top_logprobs[0]?.token).toBe(token)
    }
    const chunks = await gpt.chunks(ask('Tides?', { logprobs: true }))
    const streamed = chunks.flatMap(({ choices }) =>
      choices.flatMap(({ logprobs }) => logprobs?.content ?? []),
    )
    expect(streamed.map(({ token }) => token)).toEqual(content.map(({ token }) => token))
    expect((await gpt.whole(ask())).choices[0]?.logprobs).toBeNull()
  })

  test('counts images', async () => {
    const gpt = createGpt()
    const text = { type: 'text', text: 'Tides?' }
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    const tokens = async (content: unknown) => (await gpt.whole(ask(content))).usage?.prompt_tokens ?? 0
    expect(await tokens([text, image])).toBe((await tokens([text])) + 258)
  })

  test('a long prefix that was seen before is read from the cache', async () => {
    const gpt = createGpt()
    const long = { role: 'system', content: 'A long text of many words about tides. '.repeat(400) }
    const cached = async (question: string, first = long) => {
      const { usage } = await gpt.whole({ ...ask(), messages: [first, user(question)] })
      return usage?.prompt_tokens_details?.cached_tokens ?? -1
    }
    expect(await cached('Tides?')).toBe(0)
    expect(await cached('Winds?')).toBeGreaterThan(1_024)
    expect(await cached('Winds?', { ...long, content: `Other. ${long.content}` })).toBe(0)
  })
})

describe('refusals', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'get_time', arguments: '{}' } }
  const turn = { role: 'assistant', content: null, tool_calls: [call] }
  const result = { role: 'tool', tool_call_id: 'call_1', content: 'nine' }
  test.each<[name: string, body: Body, param: string | null]>([
    ['no model', { ...ask(), model: undefined }, null],
    ['no messages', { model: 'gpt' }, 'messages'],
    ['empty messages', { model: 'gpt', messages: [] }, 'messages'],
    ['another role', { model: 'gpt', messages: [{ role: 'model', content: 'a' }] }, 'messages[0].role'],
    ['a part of another type', ask([{ type: 'video', text: 'a' }]), 'messages[0].content[0].type'],
    [
      'an image without a URL or data URL',
      ask([{ type: 'image_url', image_url: { url: 'tides.png' } }]),
      'messages[0].content[0].image_url.url',
    ],
    ['a result without its call', { model: 'gpt', messages: [user('a'), result] }, 'messages[1].role'],
    [
      'a call without its result',
      { model: 'gpt', messages: [user('a'), turn, user('b')] },
      'messages[2].role',
    ],
    ['a call at the end', { model: 'gpt', messages: [user('a'), turn] }, 'messages[2].role'],
    ['a result twice', { model: 'gpt', messages: [user('a'), turn, result, result] }, 'messages[3].role'],
    ['both limits', ask('a', { max_tokens: 5, max_completion_tokens: 5 }), 'max_tokens'],
    ['a limit of zero', ask('a', { max_tokens: 0 }), 'max_tokens'],
    ['a fractional limit', ask('a', { max_completion_tokens: 1.5 }), 'max_completion_tokens'],
    ['no choices', ask('a', { n: 0 }), 'n'],
    ['129 choices', ask('a', { n: 129 }), 'n'],
    [
      'a tool without a name',
      ask('a', { tools: [{ type: 'function', function: {} }] }),
      'tools[0].function.name',
    ],
    ['tool_choice without tools', ask('a', { tool_choice: 'auto' }), 'tool_choice'],
    [
      'a schema without a name',
      ask('a', { response_format: { type: 'json_schema', json_schema: { schema: {} } } }),
      'response_format.json_schema.name',
    ],
    [
      'a name without a schema',
      ask('a', { response_format: { type: 'json_schema', json_schema: { name: 'a' } } }),
      'response_format.json_schema.schema',
    ],
    ['top_logprobs without logprobs', ask('a', { top_logprobs: 2 }), 'top_logprobs'],
    ['21 top_logprobs', ask('a', { logprobs: true, top_logprobs: 21 }), 'top_logprobs'],
    ['stream_options without a stream', ask('a', WITH_USAGE), 'stream_options'],
  ])('400: %s', async (_name, body, param) => {
    const response = await createGpt().post(body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', param, message: expect.stringMatching(/\S/) },
    })
  })

  test.each([
    ['fail-400', 400, 'bad_request'],
    ['fail-401', 401, 'bad_key'],
    ['fail-403', 403, 'bad_key'],
    ['fail-404', 404, 'upstream_error'],
    ['fail-429', 429, 'rate_limited'],
    ['fail-500', 500, 'upstream_error'],
    ['fail-503', 503, 'overloaded'],
    ['fail-', 404, 'upstream_error'],
  ] as const)('gpt-%s', async (behaviour, status, failure_class) => {
    const response = await createGpt().post(ask('Tides?', { model: `gpt-${behaviour}` }))
    const text = await response.text()
    expect(response.status).toBe(status)
    expect(openai.readFailure(status, response.headers, text)).toMatchObject({
      failure_class,
      retry_after_s: status === 429 ? 7 : undefined,
    })
  })

  test('a bad key is 401, a body that is not JSON 400', async () => {
    const gpt = createGpt()
    const bad = await gpt.post(ask(), '/chat/completions', { headers: { authorization: 'Bearer bad-key' } })
    expect([bad.status, ((await bad.json()) as Completion).error?.code]).toEqual([401, 'invalid_api_key'])
    expect((await gpt.post(ask(), '/chat/completions', { body: '{' })).status).toBe(400)
  })
})

describe("OpenAI's SDK, over a real socket", () => {
  const simulator = createSimulator()
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: simulator.fetch })
  afterAll(() => server.stop(true))
  const sdk = new OpenAI({ apiKey: 'key', baseURL: `${server.url.origin}/v1`, maxRetries: 0 })
  const question = { messages: [{ role: 'user' as const, content: 'Why do tides rise?' }] }

  test('whole and streamed answers are the same', async () => {
    const whole = await sdk.chat.completions.create({ model: 'gpt', ...question })
    const streamed = await sdk.chat.completions.stream({ model: 'gpt', ...question }).finalChatCompletion()
    expect(streamed.choices[0]?.message.content).toBe(whole.choices[0]?.message.content ?? '')
  })

  test('refusals are errors of their classes', async () => {
    const failing = (model: string) =>
      sdk.chat.completions.create({ model, ...question }).catch((error: unknown) => error)
    expect(await failing('gpt-fail-429')).toBeInstanceOf(OpenAI.RateLimitError)
    expect(await failing('gpt-fail-401')).toBeInstanceOf(OpenAI.AuthenticationError)
    expect(await failing('gpt-fail-404')).toBeInstanceOf(OpenAI.NotFoundError)
  })

  test('embeddings', async () => {
    const { data } = await sdk.embeddings.create({
      model: 'embedding',
      input: ['tides', 'winds'],
      dimensions: 8,
    })
    expect(data.map(({ embedding }) => embedding.length)).toEqual([8, 8])
  })
})
