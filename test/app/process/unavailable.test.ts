// A provider without its key in the environment: its models are out of service, and the rest of the gateway works.
import { describe, expect, test } from 'bun:test'
import { MODEL, PROVIDER } from '../../support/catalogue.ts'
import { ANSWER_NANOS, answering, ask, streamPath, wholePath } from '../../support/native.ts'
import { fileScene } from '../../support/scene.ts'
import { modelSection, providerSection } from '../../support/sections.ts'

const TEXT = 'no-key-text'
const BOTH = 'one-of-two'

const more = (url: string) => `
[native]
extra_methods = true

${providerSection('keyless', 'openai', `${url}/v1`, '', ['env:TEST_KEY_NOT_SET'])}
${modelSection(TEXT, { keyless: 'x' })}
${modelSection('no-key-embedding', { keyless: 'x' }, { kind: 'embedding', price: 'input = 1' })}
${modelSection('no-key-image', { keyless: 'x' }, { kind: 'image', price: 'per_image = 0.01' })}
${modelSection(BOTH, { keyless: 'x', [PROVIDER]: 'y' })}
`

const s = await fileScene({ script: answering, more })
const { gateway, call } = s

const WORDS = `The model "NAME" is out of service: this gateway has no key for its provider. Its operator must set one; the log says which.`
const wordsOf = (model: string) => WORDS.replace('NAME', model)
const CHAT = { messages: [{ role: 'user', content: 'Hello' }] }
const VERSION = { 'anthropic-version': '2023-06-01' }
const OPENAI = (model: string) => ({
  error: { message: wordsOf(model), type: 'invalid_request_error', param: null, code: 'model_unavailable' },
})
const NATIVE = { error: { code: 404, status: 'NOT_FOUND', message: wordsOf(TEXT) } }
const ANTHROPIC = { type: 'error', error: { type: 'not_found_error', message: wordsOf(TEXT) } }

describe('a model without a provider', () => {
  test.each([
    ['native, whole', wholePath(TEXT), ask(), {}, 404, NATIVE],
    ['native, streamed', streamPath(TEXT), ask(), {}, 404, NATIVE],
    ['messages', '/v1/messages', { ...CHAT, model: TEXT, max_tokens: 9 }, VERSION, 404, ANTHROPIC],
    [
      'messages, streamed',
      '/v1/messages',
      { ...CHAT, model: TEXT, max_tokens: 9, stream: true },
      VERSION,
      404,
      ANTHROPIC,
    ],
    ['count_tokens', '/v1/messages/count_tokens', { ...CHAT, model: TEXT }, VERSION, 404, ANTHROPIC],
    ['chat', '/v1/chat/completions', { ...CHAT, model: TEXT }, {}, 404, OPENAI(TEXT)],
    ['chat, streamed', '/v1/chat/completions', { ...CHAT, model: TEXT, stream: true }, {}, 404, OPENAI(TEXT)],
    [
      'embeddings',
      '/v1/embeddings',
      { model: 'no-key-embedding', input: 'x' },
      {},
      404,
      OPENAI('no-key-embedding'),
    ],
    [
      'images',
      '/v1/images/generations',
      { model: 'no-key-image', prompt: 'x' },
      {},
      404,
      {
        error: { type: 'invalid_request_error', code: 'model_unavailable', message: wordsOf('no-key-image') },
      },
    ],
  ])(
    '%s: is refused with the operator’s remedy, and without a hold',
    async (_, path, body, headers, status, shape) => {
      const before = s.counts()
      const refused = await call(path, body, { headers })
      expect(refused.status).toBe(status)
      expect(await refused.json()).toMatchObject(shape)
      await s.expectCounts(before)
    },
  )

  test('has its cause in the log, but not in the response', async () => {
    const answer = await call(wholePath(TEXT), ask())
    const request_id = answer.headers.get('x-request-id')
    expect(await answer.text()).not.toContain('TEST_KEY_NOT_SET')
    const line = gateway.log
      .text()
      .split('\n')
      .find((text) => text.includes(String(request_id)))
    expect(JSON.parse(line ?? '')).toMatchObject({
      level: 'info',
      message: 'request refused',
      cause: 'its provider is disabled ("keyless"): the environment variable is not set: TEST_KEY_NOT_SET',
    })
  })

  test('is not listed', async () => {
    const { data } = (await (await call('/v1/models')).json()) as { data: { id: string }[] }
    const ids = data.map(({ id }) => id)
    expect(ids).toContain(BOTH)
    expect(ids.filter((id) => id.startsWith('no-key'))).toEqual([])
    expect((await call(`/v1/models/${TEXT}`)).status).toBe(404)
  })

  test('is not listed by the native method', async () => {
    const { models } = (await (await call('/v1beta/models')).json()) as { models: { name: string }[] }
    const names = models.map(({ name }) => name)
    expect(names).toContain(`models/${BOTH}`)
    expect(names.filter((name) => name.startsWith('models/no-key'))).toEqual([])
    expect((await call(`/v1beta/models/${TEXT}`)).status).toBe(404)
  })
})

test('a model with a second provider is served by that one, and charged', async () => {
  expect((await call(wholePath(BOTH), ask())).status).toBe(200)
  expect(await s.lastCall()).toMatchObject({ model: BOTH, outcome: 'completed', cost_nanos: ANSWER_NANOS })
})

test('the other models are served, and the gateway is ready', async () => {
  expect((await call(wholePath(MODEL), ask())).status).toBe(200)
  expect(await (await gateway.call('/readyz')).json()).not.toHaveProperty('reason')
})

test('the start warns about the missing key, in the log and in its result', () => {
  const warning = expect.stringContaining('needs the environment variable TEST_KEY_NOT_SET, which is not set')
  expect(gateway.started.warnings).toEqual([warning])
  const logged = gateway.log
    .text()
    .split('\n')
    .filter((line) => line.includes('the catalogue has warnings'))
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ level: 'warn', warnings: [warning] }])
})

test('a reload that adds the provider logs the same warning', async () => {
  await s.recatalogue()
  const before = gateway.log.text().length
  await s.recatalogue({ more })
  expect(gateway.log.text().slice(before)).toContain('the catalogue has warnings')
  expect((await call(wholePath(TEXT), ask())).status).toBe(404)
})
