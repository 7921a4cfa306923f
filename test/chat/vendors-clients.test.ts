// The promise: each vendor's own AI SDK package, pointed at the gateway, reads the usage of its streams.
import { expect, test } from 'bun:test'
import { type JsonObject, objectIn, objectsIn } from '../../src/protocols/wire/json.ts'
import { MODELS, PROTOCOLS } from '../support/three-providers.ts'
import { BODY, chatScene, chunksOf } from './support.ts'

const { post } = await chatScene()

/** As packages of Vercel's AI SDK name themselves in streams: @ai-sdk/mistral 3.0.69 with ai 6.0.326, and 4.0.87 with ai 7.0.173. */
const AGENTS = {
  '3': (client: string) => `ai-sdk/${client}/3.0.69 ai-sdk/provider-utils/4.0.56 runtime/bun/1.4.5`,
  '4': (client: string) => `ai-sdk-${client}/4.0.87 ai-sdk-provider-utils/5.0.81 bun/1.4.5`,
} as const

async function streamedTo(
  client: string,
  model: string,
  more: JsonObject = {},
  agentOf = AGENTS['4'],
): Promise<JsonObject[]> {
  const headers = { 'user-agent': agentOf(client) }
  const text = await (await post({ ...BODY, model, stream: true, ...more }, { headers })).text()
  return chunksOf(text.split('\n\n').flatMap((frame) => (frame ? [frame.replace(/^data: /, '')] : [])))
}

for (const provider of PROTOCOLS) {
  const model = MODELS[provider]
  const CLIENTS = ['mistral', 'groq', 'perplexity', 'xai']
  test.each(CLIENTS.flatMap((client) => [[client, '3'] as const, [client, '4'] as const]))(
    `@ai-sdk/%s requests no usage, and reads that of a ${provider} model, under its name since version %s`,
    async (client, version) => {
      const chunks = await streamedTo(client, model, {}, AGENTS[version])
      const usages = chunks.flatMap(({ usage }) => usage ?? [])
      expect(usages).toEqual([
        expect.objectContaining({
          prompt_tokens: expect.any(Number),
          completion_tokens: expect.any(Number),
          total_tokens: expect.any(Number),
        }),
      ])
    },
  )

  test(`@ai-sdk/groq reads the usage of a ${provider} model in x_groq`, async () => {
    const chunks = await streamedTo('groq', model)
    const with_usage = chunks.filter(({ usage }) => (usage ?? null) !== null)
    for (const { usage = null, x_groq } of with_usage) expect(x_groq).toEqual({ usage })
    expect(chunks.filter(({ x_groq }) => x_groq !== undefined)).toHaveLength(1)
  })

  test(`@ai-sdk/mistral finds a choice in each chunk, of a ${provider} model`, async () => {
    const lacking = (chunks: JsonObject[]) => chunks.filter(({ choices }) => objectsIn(choices).length === 0)
    expect(lacking(await streamedTo('mistral', model))).toEqual([])
    expect(lacking(await streamedTo('mistral', model, {}, AGENTS['3']))).toEqual([])
    expect(lacking(await streamedTo('xai', model))).toHaveLength(1)
  })

  test.each(['openai', 'openai-compatible', 'deepseek', 'mistralish', 'groqlike'])(
    `@ai-sdk/%s gets the usage of a ${provider} model if it requests it`,
    async (client) => {
      const visible = await streamedTo(client, model, { stream_options: { include_usage: true } })
      const hidden = await streamedTo(client, model)
      expect(visible.filter(({ usage }) => (usage ?? null) !== null)).toHaveLength(1)
      expect(hidden.filter(({ usage }) => (usage ?? null) !== null)).toHaveLength(0)
      expect([...visible, ...hidden].filter(({ x_groq }) => x_groq !== undefined)).toHaveLength(0)
    },
  )
}

const refused = (client: string, body: JsonObject) => refusedTo(AGENTS['4'](client), body)
const refusedTo = async (agent: string, body: JsonObject) => {
  const response = await post(body, { headers: { 'user-agent': agent } })
  return { status: response.status, body: (await response.json()) as JsonObject }
}
const OPENAIS = expect.objectContaining({ message: expect.any(String), type: expect.any(String) })

test.each<[string, JsonObject, number]>([
  ['a model that does not exist', { ...BODY, model: 'none' }, 404],
  ['no messages', { model: MODELS.openai, messages: [] }, 400],
  ['a limit of 0', { ...BODY, max_tokens: 0 }, 400],
])('the client of each vendor reads an error: %s', async (_, body, status) => {
  const mistral = await refused('mistral', body)
  expect(mistral).toMatchObject({
    status,
    body: { object: 'error', type: expect.any(String), error: OPENAIS },
  })
  expect(mistral.body).toMatchObject({
    message: expect.any(String),
    param: mistral.body.param,
    code: mistral.body.code,
  })
  expect(Object.keys(mistral.body)).toEqual(expect.arrayContaining(['param', 'code']))
  expect((await refused('perplexity', body)).body).toMatchObject({
    error: { message: expect.any(String), code: status },
  })
  for (const client of ['openai', 'groq', 'xai', 'deepseek', 'openai-compatible', 'mistralish'])
    expect((await refused(client, body)).body).toEqual({ error: OPENAIS })
})

test.each([
  'ai/6.0.326 ai-sdk/provider-utils/4.0.56 runtime/bun/1.4.5',
  'ai/7.0.173 ai-sdk-provider-utils/5.0.81 bun/1.4.5',
])('the client of Mistral reads an error of generateText, which names no vendor: %s', async (agent) => {
  const { status, body } = await refusedTo(agent, { ...BODY, model: 'none' })
  expect(status).toBe(404)
  expect(body).toEqual({ ...objectIn(body.error), object: 'error', error: OPENAIS })
})

test.each([
  'ai-sdk/provider-utils/4.0.56',
  'openai-node/ai/7.0.173 ai-sdk-provider-utils/5.0.81',
  'ai/7.0.173',
])('an error of another client is in the shape of OpenAI alone: %s', async (agent) => {
  expect((await refusedTo(agent, { ...BODY, model: 'none' })).body).toEqual({ error: OPENAIS })
})
