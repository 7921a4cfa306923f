// Text models that answer with images: chat completions and the native protocol carry them, messages refuse such a model.
import { beforeEach, describe, expect, test } from 'bun:test'
import { PROVIDER, PROVIDER_KEYS } from '../support/catalogue.ts'
import { answer, ask, payloadsOf, streamPath, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { events, type Script, whole } from '../support/upstream.ts'
import { SIGNATURE, USAGE } from './support.ts'

/** A Gemini model whose upstream name marks it as an image model, one whose name does not, and one behind chat completions. */
const MARKED = 'drawing-text'
const UNMARKED = 'untold-text'
const OVER_CHAT = 'routed-text'

const model = (id: string, provider: string, upstream: string) =>
  modelSection(id, { [provider]: upstream }, { price: 'input = 0.3, output = 2.5, image_output = 30' })

const { upstream, call, upstreamBody, lastCall, gateway, counts, expectCounts } = await fileScene({
  provider: 'cooldown_ms = 0',
  more: (url) => `
${providerSection('router', 'openai', `${url}/v1`, 'cooldown_ms = 0', [PROVIDER_KEYS[1]])}
${model(MARKED, PROVIDER, 'gemini-2.5-flash-image')}
${model(UNMARKED, PROVIDER, 'nano')}
${model(OVER_CHAT, 'router', 'google/gemini-3-pro-image')}
`,
})

const PICTURE = 'iVBORw0KGgo='
const URL_OF_PICTURE = `data:image/png;base64,${PICTURE}`
/** 10 tokens of input, 1,290 of an image. */
const PICTURE_NANOS = 10 * 300 + 1_290 * 30_000

const reply = (parts: object[], rest: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }],
})
const TEXT = { text: 'Here it is.' }
const IMAGE = { inlineData: { mimeType: 'image/png', data: PICTURE }, thoughtSignature: SIGNATURE }
const DRAFT = { thought: true, inlineData: { mimeType: 'image/png', data: 'ZHJhZnQ=' } }
const STOP = { finishReason: 'STOP' }

const imageScript: Script = ({ path }) =>
  path.includes(':stream')
    ? events([reply([TEXT]), reply([DRAFT, IMAGE]), { ...reply([{ text: '' }], STOP), usageMetadata: USAGE }])
    : whole({ ...reply([TEXT, DRAFT, IMAGE], STOP), usageMetadata: USAGE })

beforeEach(() => upstream.answer(imageScript))

const CHAT = '/v1/chat/completions'
const chat = (id: string, rest: object = {}) => ({
  model: id,
  messages: [{ role: 'user', content: 'Draw a red house.' }],
  ...rest,
})
const WRITTEN = {
  index: 0,
  type: 'image_url',
  image_url: { url: URL_OF_PICTURE },
  extra_content: { google: { thought_signature: SIGNATURE } },
}

describe('through chat completions', () => {
  test('an image is in `images` of the message, its text in the content, and it is charged', async () => {
    const response = await call(CHAT, chat(MARKED, { modalities: ['image', 'text'] }))
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: 'Here it is.', images: [WRITTEN] }, finish_reason: 'stop' }],
    })
    expect(await lastCall()).toMatchObject({ cost_nanos: PICTURE_NANOS, output_image_tokens: 1_290 })
  })

  test('in a stream it is in `images` of a delta, after the text and before the end', async () => {
    const response = await call(CHAT, chat(MARKED, { stream: true }))
    const chunks = (await response.text()).split('\n\n').filter((line) => line.startsWith('data: {'))
    const deltas = chunks.map((line) => JSON.parse(line.slice(6)).choices[0])
    const at = (test: (choice: { delta: object; finish_reason: unknown }) => boolean) =>
      deltas.findIndex(test)
    const image = at(({ delta }) => 'images' in delta)
    expect(deltas[image].delta).toEqual({ images: [WRITTEN] })
    expect(at(({ finish_reason }) => finish_reason === 'stop')).toBeGreaterThan(image)
    expect(at(({ delta }) => 'content' in delta && delta.content === 'Here it is.')).toBeLessThan(image)
    expect(await lastCall()).toMatchObject({ cost_nanos: PICTURE_NANOS, streamed: 1 })
  })

  const CONFIGS: readonly [string, object, object | undefined][] = [
    ['pictures and text', { modalities: ['image', 'text'] }, { responseModalities: ['TEXT', 'IMAGE'] }],
    ['pictures alone', { modalities: ['image'] }, { responseModalities: ['IMAGE'] }],
    ['text alone', { modalities: ['text'] }, { responseModalities: ['TEXT'] }],
    ['no modalities', {}, undefined],
    [
      'a shape',
      { modalities: ['image', 'text'], image_config: { aspect_ratio: '16:9', image_size: '2K' } },
      { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '16:9', imageSize: '2K' } },
    ],
  ]
  test.each(CONFIGS)('a request for %s sets the provider’s config', async (_, fields, config) => {
    expect((await call(CHAT, chat(MARKED, fields))).status).toBe(200)
    expect(upstreamBody().generationConfig).toEqual(config as never)
  })

  test('an image that the caller sends back reaches the provider as the model’s own, with its signature', async () => {
    const messages = [
      { role: 'user', content: 'Draw a red house.' },
      { role: 'assistant', content: 'Here it is.', images: [WRITTEN] },
      { role: 'user', content: 'Make it blue.' },
    ]
    await call(CHAT, chat(MARKED, { messages }))
    expect(upstreamBody().contents).toMatchObject([
      { role: 'user' },
      { role: 'model', parts: [TEXT, IMAGE] },
      { role: 'user', parts: [{ text: 'Make it blue.' }] },
    ])
  })
})

describe('refused before anything is held', () => {
  const BODY = { max_tokens: 100, messages: [{ role: 'user', content: 'Draw a red house.' }] }
  const headers = { 'anthropic-version': '2023-06-01' }

  test.each([false, true])('a marked model, through messages; streamed: %p', async (stream) => {
    const before = counts()
    const response = await call('/v1/messages', { model: MARKED, stream, ...BODY }, { headers })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: expect.stringContaining('chat') } },
    ])
    await expectCounts(before)
  })

  test.each([
    [{ modalities: ['audio'] }, 'modalities'],
    [{ modalities: ['text', 'video'] }, 'modalities'],
    [{ modalities: 'image' }, 'modalities'],
    [{ modalities: ['image'], image_config: { aspect_ratio: 3 } }, 'image_config.aspect_ratio'],
    [{ modalities: ['image'], image_config: '16:9' }, 'image_config'],
  ])('%j in a chat', async (fields, param) => {
    const before = counts()
    const response = await call(CHAT, chat(MARKED, fields))
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }])
    await expectCounts(before)
  })
})

test('an image from an unmarked model fails a call of messages, which costs nothing', async () => {
  const body = { model: UNMARKED, max_tokens: 100, messages: [{ role: 'user', content: 'Draw.' }] }
  const response = await call('/v1/messages', body, { headers: { 'anthropic-version': '2023-06-01' } })
  expect([response.status, await response.json()]).toMatchObject([
    500,
    { error: { type: 'api_error', message: expect.stringContaining('image') } },
  ])
  await gateway.rest()
  expect(await lastCall()).toMatchObject({ cost_nanos: 0, outcome: 'failed' })
})

test('the same model serves messages as long as it answers with text', async () => {
  upstream.answer(() => whole(answer()))
  const body = { model: UNMARKED, max_tokens: 100, messages: [{ role: 'user', content: 'Hello.' }] }
  const response = await call('/v1/messages', body, { headers: { 'anthropic-version': '2023-06-01' } })
  expect(await response.json()).toMatchObject({ content: [{ type: 'text', text: 'Hello.' }] })
})

describe('from a provider behind chat completions to a native caller', () => {
  const images = [{ type: 'image_url', image_url: { url: URL_OF_PICTURE } }]
  const counted = { prompt_tokens: 10, completion_tokens: 1_290, total_tokens: 1_300 }
  const MODALITIES = { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }
  const INLINE = { inlineData: { mimeType: 'image/png', data: PICTURE } }

  test('whole', async () => {
    const message = { role: 'assistant', content: 'Here it is.', images }
    upstream.answer(whole({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage: counted }))
    const response = await call(wholePath(OVER_CHAT), ask('Draw.', MODALITIES))
    expect(await response.json()).toMatchObject({ candidates: [{ content: { parts: [TEXT, INLINE] } }] })
    expect(upstreamBody()).toMatchObject({ modalities: ['image', 'text'] })
  })

  test('streamed', async () => {
    const choice = (delta: object, finish_reason: string | null = null) => ({
      choices: [{ index: 0, delta, finish_reason }],
    })
    upstream.answer(
      events([
        choice({ role: 'assistant', content: 'Here it is.' }),
        choice({ images }),
        choice({}, 'stop'),
        { choices: [], usage: counted },
      ]),
    )
    const response = await call(streamPath(OVER_CHAT), ask('Draw.', MODALITIES))
    const parts = (payloadsOf(await response.text()) as { candidates: { content: { parts: object[] } }[] }[])
      .flatMap(({ candidates }) => candidates)
      .flatMap(({ content }) => content.parts)
    expect(parts).toEqual([TEXT, INLINE, { text: '' }])
  })
})
