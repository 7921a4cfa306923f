// Azure's client of OpenAI's SDK by address and key alone: every call that it makes, whole and streamed, and the refusals.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AzureOpenAI, toFile } from 'openai'
import { type JsonObject, objectIn } from '../../src/protocols/wire/json.ts'
import { models as imageModels, OVER_OPENAI, PNG } from '../images/support.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection } from '../support/sections.ts'
import { unitModels } from '../support/unit-models.ts'
import { type Answer, events, type UpstreamRequest, whole } from '../support/upstream.ts'

const GPT = 'our/gpt'
const OTHER = 'other-gpt'
const VECTORS = 'our-vectors'
const routes = (upstream: string) => ({ 'speaks-openai': upstream })
const { gateway, upstream, key, upstreamBody, call, lastCall, counts, expectCounts } = await fileScene({
  more: (url) =>
    imageModels(url) +
    unitModels(url) +
    modelSection(GPT, routes('upstream-gpt')) +
    modelSection(OTHER, routes(OTHER)) +
    modelSection(VECTORS, routes('upstream-vectors'), { kind: 'embedding', price: 'input = 0.02' }),
  script: answer,
})

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const AT = { id: 'x', created: 1, model: 'upstream-gpt' }
const SPEECH = Buffer.from('a sound')

/** OpenAI's endpoints, as the provider behind the gateway has them. */
function answer({ path, body }: UpstreamRequest): Answer {
  const streams = body.includes('"stream":true')
  if (path.endsWith('/chat/completions')) {
    const choice = { index: 0, finish_reason: 'stop' }
    const object = `chat.completion${streams ? '.chunk' : ''}`
    const message = { role: 'assistant', content: 'Hello.' }
    return streams
      ? events([{ ...AT, object, choices: [{ ...choice, delta: message }], usage: USAGE }, '[DONE]'])
      : whole({ ...AT, object, choices: [{ ...choice, message }], usage: USAGE })
  }
  if (path.endsWith('/embeddings'))
    return whole({
      object: 'list',
      model: 'upstream-vectors',
      data: [{ object: 'embedding', index: 0, embedding: [0.5, 1] }],
      usage: USAGE,
    })
  if (path.endsWith('/speech'))
    return { headers: { 'content-type': 'audio/mpeg' }, steps: [{ send: SPEECH }] }
  if (path.includes('/audio/')) return whole({ text: 'Hello.', usage: { type: 'duration', seconds: 3 } })
  if (path.includes('/images/')) return whole({ created: 1, data: [{ b64_json: PNG.toString('base64') }] })
  return whole({ id: 'x', model: 'm', results: [] })
}

const WAV = readFileSync(join(import.meta.dir, '../fixtures/audio/tone.wav'))
const wav = () => toFile(WAV, 'tone.wav', { type: 'audio/wav' })
const png = () => toFile(PNG, 'a.png', { type: 'image/png' })

const client = (more: object = {}) =>
  new AzureOpenAI({
    endpoint: gateway.url.origin,
    apiKey: key,
    apiVersion: '2024-10-21',
    maxRetries: 0,
    ...more,
  })
const messages = [{ role: 'user' as const, content: 'Hello' }]

/** Calls: the model of each, and the part of its answer that proves its arrival. */
const CALLS: readonly (readonly [
  string,
  string,
  string,
  (azure: AzureOpenAI, model: string) => Promise<unknown>,
])[] = [
  [
    'chat.completions',
    GPT,
    'Hello.',
    async (azure, model) =>
      (await azure.chat.completions.create({ model, messages })).choices[0]?.message.content,
  ],
  [
    'chat.completions, streamed',
    GPT,
    'Hello.',
    async (azure, model) => {
      let text = ''
      for await (const chunk of await azure.chat.completions.create({ model, messages, stream: true }))
        text += chunk.choices[0]?.delta.content ?? ''
      return text
    },
  ],
  [
    'completions',
    GPT,
    'Hello.',
    async (azure, model) => (await azure.completions.create({ model, prompt: 'Hi' })).choices[0]?.text,
  ],
  [
    'completions, streamed',
    GPT,
    'Hello.',
    async (azure, model) => {
      let text = ''
      for await (const chunk of await azure.completions.create({ model, prompt: 'Hi', stream: true }))
        text += chunk.choices[0]?.text ?? ''
      return text
    },
  ],
  [
    'responses',
    GPT,
    'Hello.',
    async (azure, model) => (await azure.responses.create({ model, input: 'Hi' })).output_text,
  ],
  [
    'responses, streamed',
    GPT,
    'Hello.',
    async (azure, model) =>
      (await azure.responses.stream({ model, input: 'Hi' }).finalResponse()).output_text,
  ],
  [
    'embeddings',
    VECTORS,
    '[0.5,1]',
    async (azure, model) =>
      JSON.stringify(
        (await azure.embeddings.create({ model, input: 'Hi', encoding_format: 'float' })).data[0]?.embedding,
      ),
  ],
  [
    'images.generate',
    OVER_OPENAI,
    'iVBOR',
    async (azure, model) =>
      (await azure.images.generate({ model, prompt: 'a house' })).data?.[0]?.b64_json?.slice(0, 5),
  ],
  [
    'images.generate, streamed',
    OVER_OPENAI,
    'image_generation.completed',
    async (azure, model) => {
      let last = ''
      for await (const { type } of await azure.images.generate({ model, prompt: 'a house', stream: true }))
        last = type
      return last
    },
  ],
  [
    'images.edit',
    OVER_OPENAI,
    'iVBOR',
    async (azure, model) =>
      (await azure.images.edit({ model, prompt: 'a house', image: await png() })).data?.[0]?.b64_json?.slice(
        0,
        5,
      ),
  ],
  [
    'audio.speech',
    'voice',
    SPEECH.toString(),
    async (azure, model) =>
      (await azure.audio.speech.create({ model, input: 'Hello', voice: 'alloy' })).text(),
  ],
  [
    'audio.transcriptions',
    'ear',
    'Hello.',
    async (azure, model) => (await azure.audio.transcriptions.create({ model, file: await wav() })).text,
  ],
  [
    'audio.translations',
    'ear',
    'Hello.',
    async (azure, model) => (await azure.audio.translations.create({ model, file: await wav() })).text,
  ],
]

/** The model in the request to the provider: a JSON field, or a field of the form. */
function upstreamModel(): unknown {
  const text = upstream.last().body.toString('latin1')
  return text.startsWith('{') ? upstreamBody().model : /name="model"\r\n\r\n([^\r]*)/.exec(text)?.[1]
}

describe.each(CALLS)('%s', (_, model, text, ask) => {
  test('the model is that of the call', async () => {
    expect(await ask(client(), model)).toBe(text)
    expect(await lastCall()).toMatchObject({ model, outcome: 'completed', account_id: expect.any(Number) })
    expect((await lastCall()).cost_nanos).toBeGreaterThan(0)
  })

  test('a wrong key is refused with 401 and leaves no trace', async () => {
    const before = counts()
    const thrown = await ask(client({ apiKey: 'tg_wrong' }), model).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ status: 401, error: { message: expect.stringContaining('API key') } })
    await expectCounts(before)
  })

  test('an unknown deployment is refused with 404 and leaves no trace', async () => {
    const before = counts()
    const thrown = await ask(client(), 'nobody').catch((error: unknown) => error)
    expect(thrown).toMatchObject({
      status: 404,
      error: { message: expect.stringContaining('Model not found') },
    })
    await expectCounts(before)
  })
})

/** Addresses of Azure's responses have no deployment. */
const OF_DEPLOYMENTS = CALLS.filter(([name]) => !name.startsWith('responses'))

test.each(OF_DEPLOYMENTS)('%s: the deployment of the address is the model', async (_, model, text, ask) => {
  expect(await ask(client({ deployment: model }), OTHER)).toBe(text)
  const { upstream_model, ...call } = await lastCall()
  expect(call).toMatchObject({ model, outcome: 'completed' })
  expect(upstreamModel()).toBe(upstream_model)
})

test('models are listed and read, with an api-version that is ignored', async () => {
  const ids: string[] = []
  for await (const { id } of client().models.list()) ids.push(id)
  expect(ids).toContain(GPT)
  expect(await client().models.retrieve(GPT)).toMatchObject({ id: GPT, object: 'model' })
})

describe('addresses', () => {
  const CHAT = { messages }
  test.each([
    ['the version of 2025, model in the body', '/openai/v1/chat/completions', { ...CHAT, model: GPT }],
    ['with an api-version', '/openai/v1/chat/completions?api-version=preview', { ...CHAT, model: GPT }],
    ['no model in the body', `/openai/deployments/${encodeURIComponent(GPT)}/chat/completions`, CHAT],
    ['a slash that is not encoded', `/openai/deployments/${GPT}/chat/completions?api-version=x`, CHAT],
    ['a model of null', `/openai/deployments/${GPT}/chat/completions`, { ...CHAT, model: null }],
    ['responses of a deployment', `/openai/deployments/${GPT}/responses`, { input: 'Hi', store: false }],
  ])('%s', async (_, path, body) => {
    expect((await call(path, body)).status).toBe(200)
    expect(await lastCall()).toMatchObject({ model: GPT, upstream_model: 'upstream-gpt' })
    expect(upstreamBody().model).toBe('upstream-gpt')
  })

  test.each([
    ['no key', '/openai/v1/chat/completions', '', 401],
    ['no key, of a deployment', `/openai/deployments/${GPT}/chat/completions`, '', 401],
    ['no endpoint', '/openai/v1/nothing', undefined, 404],
    ['no endpoint of a deployment', `/openai/deployments/${GPT}/nothing`, undefined, 404],
    ['a deployment without a name', '/openai/deployments//chat/completions', undefined, 404],
    ['deployments alone', '/openai/deployments?api-version=2022-12-01', undefined, 404],
    ['nothing after /openai/', '/openai/', undefined, 404],
    ['a damaged encoding', '/openai/deployments/%zz/chat/completions', undefined, 404],
    ['in the middle of a path', `/x/openai/deployments/${GPT}/chat/completions`, undefined, 404],
    ['a deployment in the query', `/v1/chat/completions?x=/openai/deployments/${GPT}/`, undefined, 400],
    ['files', '/openai/files?api-version=2024-10-21', undefined, 404],
  ])('refused: %s', async (_, path, other_key, status) => {
    const before = counts()
    const response = await call(path, CHAT, other_key === undefined ? {} : { key: other_key })
    expect(response.status).toBe(status)
    expect(objectIn((await response.json()) as JsonObject).error).toMatchObject({
      message: expect.any(String),
    })
    await expectCounts(before)
  })

  test('an Idempotency-Key of one deployment is refused for another, though the bodies are the same', async () => {
    const headers = { 'idempotency-key': 'azure-1' }
    const at = (model: string) => call(`/openai/deployments/${model}/chat/completions`, CHAT, { headers })
    expect((await at(GPT)).status).toBe(200)
    expect((await at(GPT)).headers.get('idempotent-replayed')).toBe('true')
    expect((await at(OTHER)).status).toBe(422)
  })

  test('a body above 1 MB, which a thread parses, goes to the deployment’s model', async () => {
    const long = [{ role: 'user', content: 'a '.repeat(600_000) }]
    const path = `/openai/deployments/${GPT}/chat/completions`
    const response = await call(path, { model: OTHER, messages: long, max_tokens: 5 })
    expect([response.status, upstreamModel()]).toEqual([200, 'upstream-gpt'])
    expect(await lastCall()).toMatchObject({ model: GPT })
  })
})
