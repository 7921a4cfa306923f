// The promise: each vendor's own AI SDK package, pointed at the gateway, reads the usage of its streams.
import { expect, test } from 'bun:test'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { MODELS, PROTOCOLS } from '../support/three-providers.ts'
import { BODY, chatScene, chunksOf } from './support.ts'

const { post } = await chatScene()

/** As packages of Vercel's AI SDK name themselves: `withUserAgentSuffix` in @ai-sdk/provider-utils. */
const agentOf = (client: string) =>
  `ai/6.0.1 ai-sdk/${client}/4.0.84 ai-sdk/provider-utils/5.0.81 runtime/bun/1.4.5`

async function streamedTo(client: string, model: string, more: JsonObject = {}): Promise<JsonObject[]> {
  const headers = { 'user-agent': agentOf(client) }
  const text = await (await post({ ...BODY, model, stream: true, ...more }, { headers })).text()
  return chunksOf(text.split('\n\n').flatMap((frame) => (frame ? [frame.replace(/^data: /, '')] : [])))
}

for (const provider of PROTOCOLS) {
  const model = MODELS[provider]
  test.each(['mistral', 'groq', 'perplexity', 'xai'])(
    `@ai-sdk/%s asks for no usage, and reads that of a ${provider} model`,
    async (client) => {
      const usages = (await streamedTo(client, model)).flatMap(({ usage }) => usage ?? [])
      expect(usages).toEqual([
        expect.objectContaining({
          prompt_tokens: expect.any(Number),
          completion_tokens: expect.any(Number),
          total_tokens: expect.any(Number),
        }),
      ])
    },
  )

  test(`@ai-sdk/groq reads it in x_groq, of a ${provider} model`, async () => {
    const chunks = await streamedTo('groq', model)
    const with_usage = chunks.filter(({ usage }) => (usage ?? null) !== null)
    for (const { usage = null, x_groq } of with_usage) expect(x_groq).toEqual({ usage })
    expect(chunks.filter(({ x_groq }) => x_groq !== undefined)).toHaveLength(1)
  })

  test.each(['openai', 'openai-compatible', 'deepseek', 'mistralish', 'groqlike'])(
    `@ai-sdk/%s gets it if it asks for it, of a ${provider} model`,
    async (client) => {
      const shown = await streamedTo(client, model, { stream_options: { include_usage: true } })
      const hidden = await streamedTo(client, model)
      expect(shown.filter(({ usage }) => (usage ?? null) !== null)).toHaveLength(1)
      expect(hidden.filter(({ usage }) => (usage ?? null) !== null)).toHaveLength(0)
      expect([...shown, ...hidden].filter(({ x_groq }) => x_groq !== undefined)).toHaveLength(0)
    },
  )
}

const refused = async (client: string, body: JsonObject) => {
  const response = await post(body, { headers: { 'user-agent': agentOf(client) } })
  return { status: response.status, body: (await response.json()) as JsonObject }
}
const OPENAIS = expect.objectContaining({ message: expect.any(String), type: expect.any(String) })

test.each<[string, JsonObject, number]>([
  ['a model that does not exist', { ...BODY, model: 'none' }, 404],
  ['no messages', { model: MODELS.openai, messages: [] }, 400],
  ['a limit of 0', { ...BODY, max_tokens: 0 }, 400],
])('an error is read by the client of each vendor: %s', async (_, body, status) => {
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
