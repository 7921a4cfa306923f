// The three SDKs as clients over a real socket, each with models of all three protocols: text, tools, thinking, images, schemas.

import { describe, expect, test } from 'bun:test'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import { type JsonObject, objectIn, objectsIn } from '../../src/protocols/wire/json.ts'
import { readRecording, replay, streamOf, TIDES, targetProvider, wantsStream } from '../support/replay.ts'
import { CLIENTS, type Client, QUESTION, type Reply, SURFACES } from '../support/sdk-clients.ts'
import { ALIASES, MODELS, PROTOCOLS, threeProviders } from '../support/three-providers.ts'
import { whole } from '../support/upstream.ts'

const { gateway, upstream, key, upstreamBody, lastCall } = await threeProviders()

const COMBINATIONS = PROTOCOLS.flatMap((caller) =>
  PROTOCOLS.flatMap((provider) => [false, true].map((streams) => [caller, provider, streams] as const)),
)
const named = ([caller, provider, streams]: (typeof COMBINATIONS)[number]) =>
  [
    `${CLIENT_NAMES[caller]}, a ${provider} model, ${streams ? 'streamed' : 'whole'}`,
    caller,
    provider,
    streams,
  ] as const
const CLIENT_NAMES = { gemini: '@google/genai', anthropic: '@anthropic-ai/sdk', openai: 'openai' }
const EACH = COMBINATIONS.map(named)

async function clientOf(caller: BuiltInProtocol): Promise<Client> {
  return CLIENTS[caller](gateway.url, key)
}

/** Each SDK's word for how an answer ended. */
const STOPS = {
  gemini: { stop: 'STOP', tools: 'STOP', length: 'MAX_TOKENS' },
  anthropic: { stop: 'end_turn', tools: 'tool_use', length: 'max_tokens' },
  openai: { stop: 'stop', tools: 'tool_calls', length: 'length' },
} as const

/** Where each protocol has the question and the system prompt. */
const questionAt: Readonly<Record<BuiltInProtocol, (body: JsonObject) => unknown>> = {
  gemini: ({ contents }) => objectsIn(objectsIn(contents)[0]?.parts)[0]?.text,
  anthropic: ({ messages }) => textAt(objectsIn(messages)[0]),
  openai: ({ messages }) => textAt(objectsIn(messages).find(({ role }) => role === 'user')),
}
const systemAt: Readonly<Record<BuiltInProtocol, (body: JsonObject) => unknown>> = {
  gemini: ({ systemInstruction }) => objectsIn(objectIn(systemInstruction).parts)[0]?.text,
  anthropic: ({ system }) => (typeof system === 'string' ? system : objectsIn(system)[0]?.text),
  openai: ({ messages }) =>
    textAt(objectsIn(messages).find(({ role }) => role === 'system' || role === 'developer')),
}
function textAt(message: JsonObject | undefined): unknown {
  const content = message?.content
  return typeof content === 'string'
    ? content
    : objectsIn(content).find(({ text }) => text !== undefined)?.text
}

describe.each(EACH)('%s', (_, caller, provider, streams) => {
  const model = MODELS[provider]

  test('text: the provider’s text, the reason for its end, and the usage that was billed', async () => {
    upstream.answer(replay('text'))
    const pieces: string[] = []
    const client = await clientOf(caller)
    const reply = await client.ask({
      model,
      streams,
      system: 'Be brief.',
      onText: (text) => pieces.push(text),
    })
    expect(reply.text).toBe(TIDES)
    expect(reply.stop).toBe(STOPS[caller].stop)
    if (streams)
      expect(pieces.filter((piece) => piece !== '')).toEqual(['Tides', TIDES.slice(5, 53), TIDES.slice(53)])
    expect(targetProvider(upstream.last())).toBe(provider)
    expect(questionAt[provider](upstreamBody())).toBe(QUESTION)
    expect(systemAt[provider](upstreamBody())).toBe('Be brief.')
    const call = await lastCall()
    expect(call).toMatchObject({ surface: SURFACES[caller], outcome: 'completed', estimated: 0, model })
    expect(call).toMatchObject({ streamed: streams ? 1 : 0, provider })
    expect(reply.usage).toEqual({ read: 14, cached: call.cache_read_tokens, written: 24 })
  })

  test('an alias names the same model', async () => {
    upstream.answer(replay('text'))
    const reply = await (await clientOf(caller)).ask({ model: ALIASES[provider], streams })
    expect(reply.text).toBe(TIDES)
    expect(provider === 'gemini' ? upstream.last().path : upstreamBody().model).toContain(model)
  })

  test('an answer that reached its limit', async () => {
    upstream.answer(replay('length'))
    const reply = await (await clientOf(caller)).ask({ model, streams })
    expect(reply.stop).toBe(STOPS[caller].length)
  })

  test('parallel tool calls, and a second turn with their results under matching ids', async () => {
    upstream.answer(replay('tools'))
    const client = await clientOf(caller)
    const ask = { model, streams, tools: true, thinks: true, prompt: 'Which is warmer?' }
    const first = await client.ask(ask)
    expect(first.calls.map(({ name, arguments: args }) => [name, args])).toEqual([
      ['get_weather', { city: 'Bergen', days: 2 }],
      ['get_weather', { city: 'Oslo' }],
    ])
    expect(first.stop).toBe(STOPS[caller].tools)
    expectDistinctIds(first, caller === 'gemini' && provider === 'gemini')
    upstream.answer(replay('text'))
    const second = await client.ask({ ...ask, after: { reply: first, results: ['7', '3'] } })
    expect(second.text).toBe(TIDES)
    expect(resultsAt[provider](upstreamBody())).toEqual([
      ['Bergen', '7'],
      ['Oslo', '3'],
    ])
    await gateway.rest()
  })

  test('thinking is shown, and its signatures come back unchanged with the next turn', async () => {
    upstream.answer(replay('tools'))
    const client = await clientOf(caller)
    const ask = { model, streams, tools: true, thinks: true }
    const first = await client.ask(ask)
    expect(first.thinking).toBe(provider === 'openai' ? '' : 'Two cities, so two calls.')
    expect(thinkingAt[provider](upstreamBody())).toBeTruthy()
    upstream.answer(replay('text'))
    await client.ask({ ...ask, after: { reply: first, results: ['7', '3'] } })
    const sent = upstream.last().body.toString()
    for (const signature of SIGNATURES[provider]) expect(sent.split(signature)).toHaveLength(2)
  })

  test.each(['image/png', 'image/jpeg', 'image/webp'])('an inline image: %s', async (mime) => {
    upstream.answer(replay('text'))
    const data = Buffer.from([1, 2, 3, 250, 251]).toString('base64')
    const client = await clientOf(caller)
    await client.ask({ model, streams, image: { mime, data } })
    const sent = upstream.last().body.toString()
    expect(sent.split(data)).toHaveLength(2)
    expect(sent).toContain(mime)
  })

  test('structured output: the schema reaches the provider, its JSON the caller', async () => {
    const json = '{"city":"Oslo"}'
    upstream.answer((seen) =>
      wantsStream(seen) ? streamOf(provider, STRUCTURED[provider](json)) : whole(WHOLE[provider](json)),
    )
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    }
    const reply = await (await clientOf(caller)).ask({ model, streams, schema })
    expect(JSON.parse(reply.text)).toEqual({ city: 'Oslo' })
    expect(JSON.stringify(upstreamBody())).toContain('"city":{"type":"string"}')
  })
})

function expectDistinctIds({ calls }: Reply, may_lack_ids: boolean): void {
  if (may_lack_ids) return
  for (const { id } of calls) expect(id).toMatch(/^[\w-]+$/)
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
}

/** The city that each result belongs to, found by the id of its call, and the result. */
const resultsAt: Readonly<Record<BuiltInProtocol, (body: JsonObject) => unknown[]>> = {
  gemini({ contents }) {
    const parts = objectsIn(contents).flatMap((content) => objectsIn(content.parts))
    const calls = parts.flatMap(({ functionCall }) => (functionCall ? [objectIn(functionCall)] : []))
    const results = parts.flatMap(({ functionResponse }) =>
      functionResponse ? [objectIn(functionResponse)] : [],
    )
    return results.map(({ id, response }, index) => {
      const call = id === undefined ? calls[index] : calls.find((each) => each.id === id)
      const { output, result } = objectIn(response)
      return [objectIn(call?.args).city, output ?? result]
    })
  },
  anthropic({ messages }) {
    const blocks = objectsIn(messages).flatMap(({ content }) => objectsIn(content))
    return blocks.flatMap((block) => {
      if (block.type !== 'tool_result') return []
      const call = blocks.find(({ id }) => id !== undefined && id === block.tool_use_id)
      return [
        [
          objectIn(call?.input).city,
          typeof block.content === 'string'
            ? plainOf(block.content)
            : plainOf(String(objectsIn(block.content)[0]?.text)),
        ],
      ]
    })
  },
  openai({ messages }) {
    const calls = objectsIn(messages).flatMap(({ tool_calls }) => objectsIn(tool_calls))
    return objectsIn(messages).flatMap(({ role, tool_call_id, content }) => {
      if (role !== 'tool') return []
      const call = calls.find(({ id }) => id === tool_call_id)
      return [[JSON.parse(String(objectIn(call?.function).arguments)).city, plainOf(String(content))]]
    })
  },
}

/** A tool's result, which some protocols have as an object and others as text. */
function plainOf(text: string): unknown {
  return text.startsWith('{') ? JSON.parse(text).output : text
}

const SIGNATURES: Readonly<Record<BuiltInProtocol, readonly string[]>> = {
  gemini: ['CikB0e2KbzqkVPHZ0WkxM2bXb8z3mJ1q0oYVhQ=='],
  anthropic: [
    String(objectsIn(JSON.parse(readRecording('anthropic', 'whole-tools')[0] ?? '').content)[0]?.signature),
  ],
  openai: [],
}

const thinkingAt: Readonly<Record<BuiltInProtocol, (body: JsonObject) => unknown>> = {
  gemini: ({ generationConfig }) => objectIn(generationConfig).thinkingConfig,
  anthropic: ({ thinking }) => thinking,
  openai: ({ reasoning_effort }) => reasoning_effort,
}

/** A whole answer of each protocol with one text. */
const WHOLE: Readonly<Record<BuiltInProtocol, (text: string) => JsonObject>> = {
  gemini: (text) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  }),
  anthropic: (text) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
  openai: (text) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt',
    choices: [
      { index: 0, message: { role: 'assistant', content: text, refusal: null }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  }),
}

const STRUCTURED: Readonly<Record<BuiltInProtocol, (text: string) => string[]>> = {
  gemini: (text) => [JSON.stringify(WHOLE.gemini(text))],
  anthropic: (text) =>
    readRecording('anthropic', 'stream-text')
      .filter((line, index) => index < 3 || !line.includes('content_block_delta'))
      .flatMap((line) =>
        line.includes('"content_block_start"')
          ? [
              line,
              JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
            ]
          : [line],
      ),
  openai: (text) => [
    JSON.stringify({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'gpt',
      choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }],
    }),
    JSON.stringify({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'gpt',
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
    }),
    '[DONE]',
  ],
}
