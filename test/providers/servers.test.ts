// The simulated servers of chat completions: where each puts thinking, usage and errors, whole and streamed.
import { describe, expect, test } from 'bun:test'
import { createProvider } from './provider.ts'
import { SERVERS } from './servers/servers.ts'

type Body = Record<string, unknown>
type Fields = Record<string, unknown>

const MODELS: Readonly<Record<string, string>> = {
  openai: 'gpt-5.4',
  azure: 'gpt-5.4',
  openrouter: 'anthropic/claude-sonnet-4.5',
  groq: 'openai/gpt-oss-120b',
  deepseek: 'deepseek-reasoner',
  mistral: 'magistral-medium-latest',
  xai: 'grok-4.5',
  moonshot: 'kimi-k2.6',
  together: 'deepseek-ai/DeepSeek-R1',
  ollama: 'qwen3',
  vllm: 'Qwen/Qwen3-8B',
}
const NAMES = SERVERS.map(({ name }) => name)

function serverNamed(name: string) {
  const provider = createProvider()
  const post = (body: Body, headers: Record<string, string> = {}) =>
    provider.fetch(
      new Request(`http://provider/${name}/v1/chat/completions`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ model: MODELS[name], ...body }),
      }),
    )
  return {
    post,
    seen: provider.seen,
    whole: async (body: Body): Promise<Fields> => (await (await post(body)).json()) as Fields,
    text: async (body: Body) => (await post({ ...body, stream: true })).text(),
  }
}

const TOOL = {
  type: 'function',
  function: { name: 'get_time', parameters: { type: 'object', properties: { zone: { type: 'string' } } } },
}
const ask = (content: string, more: Body = {}): Body => ({ messages: [{ role: 'user', content }], ...more })

const chunksOf = (text: string): Fields[] =>
  text
    .split('\n\n')
    .filter((record) => record.startsWith('data: {'))
    .map((record) => JSON.parse(record.slice('data: '.length)))

const record = (value: unknown): Fields => (value ?? {}) as Fields
const list = (value: unknown): Fields[] => (Array.isArray(value) ? value : [])

/** Text and thinking of a message or delta, in the form of any server. */
function outputOf(part: Fields): { text: string; thinking: string } {
  const parts = list(part.content)
  const inside = parts.flatMap(({ type, thinking }) => (type === 'thinking' ? list(thinking) : []))
  const join = (all: Fields[]) => all.map(({ text }) => text ?? '').join('')
  return {
    text: parts.length > 0 ? join(parts.filter(({ type }) => type === 'text')) : String(part.content ?? ''),
    thinking: join(inside) + String(part.reasoning_content ?? part.reasoning ?? ''),
  }
}

const choiceIn = (body: Fields): Fields => record(list(body.choices)[0])

describe('a stream adds up to the whole answer', () => {
  test.each(NAMES)('%s', async (name) => {
    const server = serverNamed(name)
    const body = ask('Why do tides rise?', { reasoning_effort: name === 'xai' ? 'low' : undefined })
    const whole = await server.whole(body)
    const text = await server.text({ ...body, stream_options: { include_usage: true } })
    expect(text).toEndWith('data: [DONE]\n\n')
    const chunks = chunksOf(text)
    const deltas = chunks.map((chunk) => outputOf(record(choiceIn(chunk).delta)))
    const message = outputOf(record(choiceIn(whole).message))
    expect(deltas.map((delta) => delta.text).join('')).toBe(message.text)
    expect(deltas.map(({ thinking }) => thinking).join('')).toBe(message.thinking)
    expect(chunks.filter((chunk) => choiceIn(chunk).finish_reason === 'stop')).toHaveLength(1)
    expect(record(chunks.findLast(({ usage }) => usage)?.usage)).toEqual(record(whole.usage))
    expect(record(choiceIn(chunks[0] ?? {}).delta).role).toBe('assistant')
  })

  test.each(NAMES)('%s: a tool call', async (name) => {
    const server = serverNamed(name)
    const effort = name === 'openai' || name === 'azure' ? { reasoning_effort: 'none' } : {}
    const body = ask('get_time', { tools: [TOOL], ...effort })
    const [call] = list(record(choiceIn(await server.whole(body)).message).tool_calls)
    const pieces = chunksOf(await server.text(body)).flatMap((chunk) =>
      list(record(choiceIn(chunk).delta).tool_calls),
    )
    expect(pieces[0]?.id).toBe(call?.id)
    expect(pieces.map((piece) => record(piece.function).arguments).join('')).toBe(
      String(record(call?.function).arguments),
    )
  })
})

describe('thinking is in the server’s own field', () => {
  test.each([
    ['openai', []],
    ['azure', []],
    ['openrouter', ['reasoning', 'reasoning_details']],
    ['groq', ['reasoning']],
    ['deepseek', ['reasoning_content']],
    ['mistral', []],
    ['xai', ['reasoning_content']],
    ['moonshot', ['reasoning_content']],
    ['together', ['reasoning']],
    ['ollama', ['reasoning']],
    ['vllm', ['reasoning']],
  ])('%s: %o', async (name, fields) => {
    const server = serverNamed(name)
    const keysIn = (part: unknown) => Object.keys(record(part)).filter((key) => key.startsWith('reasoning'))
    expect(keysIn(choiceIn(await server.whole(ask('Tides?'))).message)).toEqual(fields)
    const deltas = chunksOf(await server.text(ask('Tides?'))).map((chunk) => keysIn(choiceIn(chunk).delta))
    expect([...new Set(deltas.flat())]).toEqual(fields)
  })

  test('mistral: parts of the content, before the text', async () => {
    const { content } = record(choiceIn(await serverNamed('mistral').whole(ask('Tides?'))).message)
    expect(content).toMatchObject([{ type: 'thinking', thinking: [{ type: 'text' }] }, { type: 'text' }])
  })
})

describe('usage', () => {
  // From the recordings of vercel/ai, packages/<name>/src/__fixtures__, and each server's documentation.
  test.each<[name: string, usage: (totals: Record<string, number>) => object]>([
    [
      'openrouter',
      ({ thinking }) => ({ completion_tokens_details: { reasoning_tokens: thinking }, is_byok: false }),
    ],
    ['groq', ({ thinking }) => ({ completion_tokens_details: { reasoning_tokens: thinking } })],
    ['deepseek', ({ prompt }) => ({ prompt_cache_hit_tokens: 0, prompt_cache_miss_tokens: prompt })],
    ['mistral', ({ prompt, output, thinking }) => ({ total_tokens: sum(prompt, output, thinking) })],
    [
      'xai',
      ({ output, thinking }) => ({
        completion_tokens: output,
        completion_tokens_details: { reasoning_tokens: thinking },
        cost_in_usd_ticks: expect.any(Number),
      }),
    ],
    ['moonshot', ({ thinking }) => ({ completion_tokens_details: { reasoning_tokens: thinking } })],
    ['vllm', () => ({ prompt_tokens_details: null })],
  ])('%s', async (name, expected) => {
    const server = serverNamed(name)
    const { usage } = await server.whole(ask('Tides?', name === 'xai' ? { reasoning_effort: 'low' } : {}))
    const finished = server.seen.at(-1)
    if (finished?.kind !== 'finished') throw new Error('was not finished')
    const { prompt, output, thinking } = finished.totals
    expect(usage).toMatchObject({
      prompt_tokens: prompt,
      total_tokens: prompt + output + thinking,
      ...expected({ prompt, output, thinking }),
    })
  })

  const sum = (...counts: (number | undefined)[]) =>
    counts.reduce<number>((total, count) => total + (count ?? 0), 0)

  test.each([
    ['openai', 'none'],
    ['azure', 'none'],
    ['openrouter', 'a chunk of its own'],
    ['groq', 'the last choice'],
    ['deepseek', 'the last choice'],
    ['mistral', 'the last choice'],
    ['xai', 'a chunk of its own'],
    ['moonshot', 'none'],
    ['together', 'the last choice'],
    ['ollama', 'none'],
    ['vllm', 'none'],
  ])('%s: of a stream without stream_options: %s', async (name, place) => {
    const chunks = chunksOf(await serverNamed(name).text(ask('Tides?')))
    const reporting = chunks.filter(({ usage }) => usage)
    const finished = reporting.map((chunk) => typeof choiceIn(chunk).finish_reason === 'string')
    const found =
      reporting.length === 0 ? 'none' : finished[0] === true ? 'the last choice' : 'a chunk of its own'
    expect([reporting.length <= 1, found]).toEqual([true, place])
  })

  test('cached tokens are in the server’s own field', async () => {
    const usageOf = async (name: string) =>
      record(
        (
          await serverNamed(name).whole(
            ask('Why do tides rise and fall?', { model: `${MODELS[name]}-cache` }),
          )
        ).usage,
      )
    expect(await usageOf('moonshot')).toMatchObject({ cached_tokens: expect.any(Number) })
    expect(await usageOf('deepseek')).toMatchObject({ prompt_cache_hit_tokens: expect.any(Number) })
    expect(await usageOf('mistral')).toMatchObject({ num_cached_tokens: expect.any(Number) })
    expect(await usageOf('groq')).toMatchObject({
      prompt_tokens_details: { cached_tokens: expect.any(Number) },
    })
  })
})

describe('stream details', () => {
  test('openrouter begins with a comment', async () => {
    expect(await serverNamed('openrouter').text(ask('Tides?'))).toStartWith(
      ': OPENROUTER PROCESSING\n\ndata: {',
    )
  })

  test('groq names its request in the first chunk, and repeats the usage in the last', async () => {
    const chunks = chunksOf(await serverNamed('groq').text(ask('Tides?')))
    expect(chunks[0]).toMatchObject({ x_groq: { id: expect.any(String) } })
    expect(record(chunks.at(-1)?.x_groq).usage).toEqual(chunks.at(-1)?.usage)
  })

  test('azure reports the results of its filters', async () => {
    const chunks = chunksOf(await serverNamed('azure').text(ask('Tides?')))
    expect(chunks[0]).toMatchObject({ prompt_filter_results: [{ prompt_index: 0 }] })
  })

  test('events-N streams N chunks, thinking included', async () => {
    const text = await serverNamed('deepseek').text(ask('Tides?', { model: 'deepseek-reasoner-events-60' }))
    expect(chunksOf(text)).toHaveLength(60)
  })
})

describe('errors have the form of the server', () => {
  test.each<[name: string, body: object]>([
    ['openai', { error: { type: 'invalid_request_error', code: 'invalid_api_key' } }],
    ['openrouter', { error: { code: 401, message: expect.any(String) } }],
    ['groq', { error: { type: 'invalid_request_error', code: 'invalid_api_key' } }],
    ['deepseek', { error: { type: 'authentication_error', param: null } }],
    ['mistral', { detail: 'Unauthorized' }],
    ['xai', { code: expect.any(String), error: expect.any(String) }],
    ['moonshot', { error: { type: 'invalid_authentication_error' } }],
    ['together', { id: expect.any(String), error: { type: 'invalid_request_error' } }],
    ['ollama', { error: { type: 'invalid_request_error', param: null, code: null } }],
    ['vllm', { error: { type: 'AuthenticationError', code: 401 } }],
  ])('%s', async (name, body) => {
    const response = await serverNamed(name).post(ask('Tides?'), { authorization: 'Bearer bad-key' })
    expect([response.status, await response.json()]).toMatchObject([401, body])
  })

  test('an error inside a stream of openrouter is a choice that ends with it', async () => {
    const text = await serverNamed('openrouter').text(ask('Tides?', { model: 'x-error-2' }))
    expect(chunksOf(text).at(-1)).toMatchObject({
      error: { code: 503 },
      choices: [{ finish_reason: 'error' }],
    })
  })
})

test('a path without the name of a server is served by OpenAI', async () => {
  const provider = createProvider()
  const response = await provider.fetch(
    new Request('http://provider/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify({ model: 'gpt', ...ask('Tides?') }),
    }),
  )
  expect(await response.json()).toMatchObject({ system_fingerprint: 'fp_simulated' })
})
