// Known values: calls share the parts of requests that came before, so nothing may change them, whatever is done with a request.
import { beforeEach, describe, expect, test } from 'bun:test'
import { BUILT_IN_REGISTRY, type BuiltInProtocol, callerProtocolOf } from '../../src/protocols/registry.ts'
import type { Json, JsonObject } from '../../src/protocols/wire/json.ts'
import { parseScanned, scanJsonBody } from '../../src/protocols/wire/json-body.ts'
import { KnownValues } from '../../src/protocols/wire/known-values.ts'
import { freezeKnownValues } from '../support/frozen-values.ts'
import { replay } from '../support/replay.ts'
import { ALIASES, PROTOCOLS, TWO_PROVIDERS, threeProviders } from '../support/three-providers.ts'
import { REQUESTS, type SurfaceRequest } from './requests.ts'

const { gateway, upstream, call, lastCall } = await threeProviders()
beforeEach(() => upstream.answer(replay('text')))

const countReused = freezeKnownValues()

const long = 'Tides are told at length. '.repeat(20)
const PICTURE = `iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==`
const SCHEMA = {
  type: 'object',
  properties: {
    path: { type: 'string', description: long },
    deep: { type: 'array', items: { type: 'string' } },
  },
  required: ['path'],
}
const chatTool = { type: 'function', function: { name: 'read', description: long, parameters: SCHEMA } }

type RequestOf = (model: string, streams: boolean) => SurfaceRequest

const responses =
  (more: JsonObject): RequestOf =>
  (model, stream) => ({
    path: '/v1/responses',
    headers: {},
    body: { model, stream, max_output_tokens: 1_000, ...more },
  })

/** For each surface a conversation with everything that an agent sends. */
const AGENTS: Readonly<Record<BuiltInProtocol | 'responses', RequestOf>> = {
  gemini: (model, streams) =>
    REQUESTS.gemini(model, streams, {
      systemInstruction: { parts: [{ text: long }] },
      contents: [
        { role: 'user', parts: [{ text: long }, { inlineData: { mimeType: 'image/png', data: PICTURE } }] },
        { role: 'model', parts: [{ text: long }, { functionCall: { name: 'read', args: { path: long } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'read', response: { result: long } } }] },
      ],
      tools: [{ functionDeclarations: [{ name: 'read', description: long, parameters: SCHEMA }] }],
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: SCHEMA },
    }),
  anthropic: (model, streams) =>
    REQUESTS.anthropic(model, streams, {
      system: [{ type: 'text', text: long, cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: long },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: long },
            { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: long } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: long }] }],
        },
      ],
      tools: [{ name: 'read', description: long, input_schema: SCHEMA }],
    }),
  openai: (model, streams) =>
    REQUESTS.openai(model, streams, {
      messages: [
        { role: 'system', content: long },
        {
          role: 'user',
          content: [
            { type: 'text', text: long },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'c1',
              type: 'function',
              function: { name: 'read', arguments: JSON.stringify({ path: long }) },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: long },
      ],
      tools: [chatTool],
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA } },
    }),
  responses: responses({
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: long },
          { type: 'input_image', image_url: `data:image/png;base64,${PICTURE}` },
        ],
      },
      { type: 'function_call', call_id: 'c1', name: 'read', arguments: JSON.stringify({ path: long }) },
      { type: 'function_call_output', call_id: 'c1', output: long },
    ],
    tools: [{ type: 'function', name: 'read', description: long, parameters: SCHEMA, strict: false }],
  }),
}

/** Calls, and returns the provider's request and the cost. */
async function observe({ path, headers, body }: SurfaceRequest) {
  const response = await call(path, body, { headers })
  const answer = await response.text()
  expect({ status: response.status, answer }).toMatchObject({ status: 200 })
  const { cost_nanos, input_tokens } = await lastCall()
  return { sent: upstream.last().body.toString(), cost_nanos, input_tokens }
}

const SURFACES = Object.keys(AGENTS) as (keyof typeof AGENTS)[]
const CASES = SURFACES.flatMap((surface) =>
  [...PROTOCOLS.map((to) => ALIASES[to]), TWO_PROVIDERS].flatMap((model) =>
    [false, true].map((streams) => [surface, model, streams] as const),
  ),
)

describe('known parts are sent as the first time, and cost the same', () => {
  test.each(CASES)('%s to %s, streams: %p', async (surface, model, streams) => {
    const request = AGENTS[surface](model, streams)
    const first = await observe(request)
    await observe(request)
    const before = countReused()
    expect(await observe(request)).toEqual(first)
    expect(countReused() - before).toBeGreaterThanOrEqual(3)
  })
})

test('known values are shared within their own account alone', async () => {
  const { path, headers, body } = AGENTS.openai(ALIASES.openai, false)
  for (let times = 0; times < 2; times++) await observe({ path, headers, body })
  const key = await gateway.caller('1000')
  const askAsOther = async () => expect((await call(path, body, { headers, key })).status).toBe(200)
  const before = countReused()
  await askAsOther()
  await askAsOther()
  expect(countReused()).toBe(before)
  await askAsOther()
  expect(countReused()).toBeGreaterThan(before)
})

/** For each surface the field of its conversation, and the messages that an agent's next call adds. */
const NEXT: Readonly<Record<keyof typeof AGENTS, readonly [field: string, more: Json[]]>> = {
  gemini: [
    'contents',
    [
      { role: 'model', parts: [{ text: long }] },
      { role: 'user', parts: [{ text: 'On.' }] },
    ],
  ],
  anthropic: [
    'messages',
    [
      { role: 'assistant', content: long },
      { role: 'user', content: 'On.' },
    ],
  ],
  openai: [
    'messages',
    [
      { role: 'assistant', content: long },
      { role: 'user', content: 'On.' },
    ],
  ],
  responses: [
    'input',
    [
      { role: 'assistant', content: long },
      { role: 'user', content: 'On.' },
    ],
  ],
}

test.each(SURFACES)(
  '%s: the facts for a hold depend on the request alone, not on known values',
  (surface) => {
    const { text } = callerProtocolOf(BUILT_IN_REGISTRY, surface)
    const known = new KnownValues(1_000_000)
    const factsOf = (body: JsonObject, to?: { known: KnownValues; account_id: number }) =>
      text.readRequest(parseScanned(scanJsonBody(Buffer.from(JSON.stringify(body)), text.names, to)).json)
    const [field, more] = NEXT[surface]
    const { body } = AGENTS[surface]('m', false)
    const longer = { ...body, [field]: [...(body[field] as Json[]), ...more] }
    const fewer = { ...body, [field]: (body[field] as Json[]).slice(0, 1) }
    for (const each of [body, body, body, longer, longer, longer, fewer, body])
      expect(factsOf(each, { known, account_id: 1 })).toEqual(factsOf(each))
    expect(factsOf(longer).input_tokens).toBeGreaterThan(factsOf(body).input_tokens)
  },
)

test('tokens of known values are counted as the first time', async () => {
  const { headers, body } = AGENTS.anthropic(ALIASES.openai, false)
  const counts: unknown[] = []
  for (let times = 0; times < 4; times++) {
    const response = await call('/v1/messages/count_tokens', body, { headers })
    counts.push({ status: response.status, counted: await response.json() })
  }
  expect(counts[0]).toMatchObject({ status: 200 })
  expect(counts).toEqual(Array(4).fill(counts[0]))
})

test('a repeated request that continues a response is sent and costs the same', async () => {
  const first = AGENTS.responses(ALIASES.openai, false)
  const { id } = (await (await call(first.path, { ...first.body, store: true }, { headers: {} })).json()) as {
    id: string
  }
  const next = { ...first, body: { ...first.body, previous_response_id: id } }
  const once = await observe(next)
  for (let times = 0; times < 3; times++) expect(await observe(next)).toEqual(once)
})

test('a refusal is the same whether values are known or not', async () => {
  const { path, headers, body } = AGENTS.gemini(ALIASES.gemini, false)
  for (let times = 0; times < 3; times++) await observe({ path, headers, body })
  const contents = [...(body.contents as Json[]), { role: 'user', parts: [7] }]
  for (let times = 0; times < 3; times++) {
    const response = await call(path, { ...body, contents }, { headers })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('contents[3].parts[0]')
  }
})
