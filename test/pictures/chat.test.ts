// Image models through chat completions, as OpenRouter and LiteLLM serve them: pictures in `images` of the message or delta.
import { beforeEach, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import {
  dataUri,
  imagesScene,
  JPEG,
  OVER_OPENAI,
  PICTURE,
  PNG,
  RETIRED_PICTURE,
  sends,
} from '../images/support.ts'
import { storedIn } from '../support/image-refusals.ts'
import { refusal as refuses, whole } from '../support/upstream.ts'
import { inline, MODEL_TURN, PROMPT, SIGNATURE, signedImage, USER } from './support.ts'

const { gateway, upstream, call, upstreamBody, lastCall, clock, fetched } = await imagesScene()
beforeEach(() => {
  clock.now_ms += 61_000
  upstream.answer(signedImage(PNG))
})

const CHAT = '/v1/chat/completions'
const IMAGE_NANOS = 40_000_000
const chat = (rest: object = {}) => ({
  model: PICTURE,
  messages: [{ role: 'user', content: PROMPT.text }],
  ...rest,
})
const WRITTEN = {
  index: 0,
  type: 'image_url',
  image_url: { url: dataUri(PNG) },
  extra_content: { google: { thought_signature: SIGNATURE } },
}
const SIGNED = { ...inline(PNG), thoughtSignature: SIGNATURE }
const contents = (): unknown => upstreamBody().contents

async function okBody(response: Response) {
  const body = await response.json()
  expect([response.status, response.status === 200 ? '' : body]).toEqual([200, ''])
  return body
}

describe('an answer', () => {
  test('whole', async () => {
    expect(await okBody(await call(CHAT, chat({ modalities: ['image', 'text'] })))).toMatchObject({
      object: 'chat.completion',
      model: PICTURE,
      choices: [
        { message: { role: 'assistant', content: 'Here it is.', images: [WRITTEN] }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 1_290, total_tokens: 1_300 },
    })
    expect(await lastCall()).toMatchObject({ surface: 'chat', cost_nanos: IMAGE_NANOS, images: 1 })
  })

  test.each([true, false])('streamed; with the usage: %p', async (include_usage) => {
    const response = await call(CHAT, chat({ stream: true, stream_options: { include_usage } }))
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const text = await response.text()
    const chunks = text
      .split('\n\n')
      .filter((record) => record.startsWith('data: {'))
      .map((record) => JSON.parse(record.slice('data: '.length)))
    expect(text).toEndWith('data: [DONE]\n\n')
    expect(chunks.flatMap(({ choices }) => choices).map(({ delta }) => delta)).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { content: 'Here it is.' },
      { images: [WRITTEN] },
      {},
    ])
    expect(chunks.some(({ usage }) => usage?.completion_tokens === 1_290)).toBe(include_usage)
    expect(await lastCall()).toMatchObject({ cost_nanos: IMAGE_NANOS, images: 1 })
  })

  test('has no text if the caller requested only images', async () => {
    const body = await okBody(await call(CHAT, chat({ modalities: ['image'] })))
    expect(body).toMatchObject({ choices: [{ message: { content: '', images: [WRITTEN] } }] })
  })

  test('has n images for n choices, in the requested aspect ratio', async () => {
    const body = await okBody(await call(CHAT, chat({ n: 2, image_config: { aspect_ratio: '3:2' } })))
    expect(body).toMatchObject({
      choices: [
        { index: 0, message: { images: [WRITTEN] } },
        { index: 1, message: { images: [WRITTEN] } },
      ],
    })
    expect(upstreamBody().generationConfig).toMatchObject({ imageConfig: { aspectRatio: '3:2' } })
    expect(await lastCall()).toMatchObject({ cost_nanos: 2 * IMAGE_NANOS, images: 2 })
  })

  test('of OpenAI’s own image models', async () => {
    upstream.answer(sends(PNG))
    const body = await okBody(await call(CHAT, chat({ model: OVER_OPENAI })))
    expect(body).toMatchObject({
      choices: [{ message: { content: '', images: [{ image_url: WRITTEN.image_url }] } }],
    })
    expect(await lastCall()).toMatchObject({ cost_nanos: 50_000_000, images: 1 })
  })

  test('is not cut off by max_tokens', async () => {
    await okBody(await call(CHAT, chat({ max_tokens: 100 })))
    expect(upstreamBody().generationConfig).toEqual({ responseModalities: ['TEXT', 'IMAGE'] })
  })
})

describe('input images', () => {
  const imageUrls = (...urls: string[]) => ({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: PROMPT.text },
          ...urls.map((url) => ({ type: 'image_url', image_url: { url } })),
        ],
      },
    ],
  })

  test('inline, and by an address that the gateway fetches', async () => {
    const url = 'https://pictures.example.com/dog.jpg'
    await okBody(await call(CHAT, chat(imageUrls(dataUri(PNG), url))))
    expect(contents()).toEqual([USER(PROMPT, inline(PNG), inline(JPEG, 'image/jpeg'))])
    expect(fetched.at(-1)).toBe(url)
  })

  test('by the model itself, exactly as the client received them', async () => {
    const messages = [
      { role: 'system', content: 'In oil.' },
      { role: 'user', content: PROMPT.text },
      { role: 'assistant', content: 'Here it is.', images: [WRITTEN] },
      { role: 'user', content: 'now blue' },
    ]
    await okBody(await call(CHAT, chat({ messages })))
    expect(upstreamBody()).toMatchObject({
      systemInstruction: { parts: [{ text: 'In oil.' }] },
      contents: [USER(PROMPT), MODEL_TURN({ text: 'Here it is.' }, SIGNED), USER({ text: 'now blue' })],
    })
  })
})

describe('refused before anything is held', () => {
  const REFUSED: readonly (readonly [row: string, body: object, param: string])[] = [
    ['text only', { modalities: ['text'] }, 'modalities'],
    ['audio', { modalities: ['image', 'audio'] }, 'modalities'],
    ['too many choices', { n: 5 }, 'n'],
    ['zero choices', { n: 0 }, 'n'],
    [
      'a size that the model does not make',
      { image_config: { image_size: '8K' } },
      'image_config.image_size',
    ],
    ['tools', { tools: [{ type: 'function', function: { name: 'f' } }] }, 'tools'],
    ['JSON', { response_format: { type: 'json_object' } }, 'response_format'],
    ['log probabilities', { logprobs: true }, 'logprobs'],
    ['no text', { messages: [{ role: 'user', content: ' ' }] }, 'messages'],
    ['no user', { messages: [{ role: 'system', content: 'Draw.' }] }, 'messages'],
    [
      'a private address',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'image_url', image_url: { url: 'https://127.0.0.1/a.png' } },
            ],
          },
        ],
      },
      'messages[0].content[1].image_url.url',
    ],
    [
      'audio input',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
            ],
          },
        ],
      },
      'messages[0].content[1]',
    ],
    ['an unknown field', { colour: 'red' }, 'colour'],
  ]
  test.each(REFUSED)('%s', async (_, fields, param) => {
    const before = [await storedIn(gateway), upstream.requests.length]
    const response = await call(CHAT, chat(fields))
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }])
    expect([await storedIn(gateway), upstream.requests.length]).toEqual(before)
  })

  test.each([
    ['a retired model', { model: RETIRED_PICTURE }, '10', 404],
    ['an insufficient balance', {}, '0.039', 402],
  ])('%s', async (_, fields, balance, status) => {
    const key = await gateway.caller(balance)
    expect((await gateway.call(CHAT, chat(fields), { key })).status).toBe(status)
  })

  test('the messages surface, which cannot carry an image', async () => {
    const body = { model: PICTURE, max_tokens: 10, messages: [{ role: 'user', content: 'Draw.' }] }
    const response = await call('/v1/messages', body, { headers: { 'anthropic-version': '2023-06-01' } })
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { error: { type: 'not_found_error' } },
    ])
  })
})

test.each([
  ['moderation', whole({ promptFeedback: { blockReason: 'SAFETY' } }), 400, 'content_policy_violation'],
  ['text alone', whole({ candidates: [{ content: { parts: [PROMPT] } }] }), 400, 'no_image_generated'],
  ['a provider that fails', refuses(500, {}), 502, 'upstream_error'],
])('%s costs nothing, whole and streamed', async (_, answer, status, code) => {
  upstream.answer(answer)
  for (const stream of [false, true]) {
    const response = await call(CHAT, chat({ stream }))
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }])
    expect(await lastCall()).toMatchObject({ cost_nanos: 0, outcome: 'failed' })
  }
})

describe('openai', () => {
  const messages = [{ role: 'user' as const, content: PROMPT.text }]
  const sdkFor = (apiKey: string) =>
    new OpenAI({ apiKey, baseURL: `${gateway.url.origin}/v1`, maxRetries: 0 })

  test('whole', async () => {
    const sdk = sdkFor(await gateway.caller('1'))
    const { choices } = await sdk.chat.completions.create({ model: PICTURE, messages })
    expect(choices[0]?.message as object).toMatchObject({ content: 'Here it is.', images: [WRITTEN] })
  })

  test('streamed', async () => {
    const sdk = sdkFor(await gateway.caller('1'))
    const deltas: object[] = []
    for await (const { choices } of await sdk.chat.completions.create({
      model: PICTURE,
      messages,
      stream: true,
    }))
      for (const { delta } of choices) deltas.push(delta)
    expect(deltas).toContainEqual({ images: [WRITTEN] })
  })
})
