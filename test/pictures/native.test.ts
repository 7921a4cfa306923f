// Image models on the native surface: spec.md, Native generation request, "every model of the native family is callable here"; charged, kept, limited.
import { beforeEach, describe, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import {
  GIF,
  HASTY,
  imagesScene,
  JPEG,
  OVER_OPENAI,
  PICTURE,
  PNG,
  RETIRED_PICTURE,
  SIZED,
  sends,
  WEBP,
} from '../images/support.ts'
import { storedIn } from '../support/image-refusals.ts'
import { arrayPath, nativeError, payloadsOf, refusalOf, streamPath, wholePath } from '../support/native.ts'
import { RESET, refusal as refuses, SILENCE, whole } from '../support/upstream.ts'
import { base64Of, inline, MODEL_TURN, PROMPT, SIGNATURE, signedImage, USAGE, USER } from './support.ts'

const { gateway, upstream, call, upstreamBody, lastCall, clock, fetched } = await imagesScene()
beforeEach(() => {
  clock.now_ms += 61_000
  upstream.answer(signedImage(PNG))
})

const IMAGE_NANOS = 40_000_000
const order = (rest: object = {}) => ({ contents: [USER(PROMPT)], ...rest })
const config = (generationConfig: object) => order({ generationConfig })
const SIGNED = { ...inline(PNG), thoughtSignature: SIGNATURE }
const contents = (): unknown => upstreamBody().contents

interface NativeAnswer {
  candidates: { content: { parts: object[] }; finishReason?: string }[]
  usageMetadata?: object
  modelVersion?: string
}
const okBody = async (response: Response): Promise<NativeAnswer> => {
  const body = await response.json()
  expect([response.status, response.status === 200 ? '' : body]).toEqual([200, ''])
  return body as NativeAnswer
}

describe('an answer', () => {
  test('whole: the provider’s text and image without its drafts, charged per image', async () => {
    const body = await okBody(await call(wholePath(PICTURE), order()))
    expect(body).toMatchObject({
      candidates: [
        { content: { role: 'model', parts: [{ text: 'Here it is.' }, SIGNED] }, finishReason: 'STOP' },
      ],
      modelVersion: PICTURE,
      usageMetadata: USAGE,
    })
    expect(await lastCall()).toMatchObject({
      surface: 'native',
      model: PICTURE,
      cost_nanos: IMAGE_NANOS,
      images: 1,
      outcome: 'completed',
    })
  })

  test('under /v1, too', async () => {
    const body = await okBody(await call(`/v1/models/${PICTURE}:generateContent`, order()))
    expect(body.candidates[0]?.content.parts).toContainEqual(SIGNED)
  })

  test.each([
    ['events', streamPath, payloadsOf],
    ['an array', arrayPath, (text: string) => JSON.parse(text)],
  ])('streamed as %s: text, image, and an end with the usage', async (_, path, read) => {
    const response = await call(path(PICTURE), order())
    const events = read(await response.text()) as NativeAnswer[]
    const parts = events.flatMap(({ candidates }) => candidates).flatMap(({ content }) => content.parts)
    expect(parts).toEqual([{ text: 'Here it is.' }, SIGNED, { text: '' }])
    expect(events.at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP' }], usageMetadata: USAGE })
    // The gateway writes all events at once after the charge, so the call is not recorded as streamed.
    expect(await lastCall()).toMatchObject({ cost_nanos: IMAGE_NANOS, images: 1, streamed: 0 })
  })

  test('has no text if the caller requested only images', async () => {
    const body = await okBody(await call(wholePath(PICTURE), config({ responseModalities: ['IMAGE'] })))
    expect(body.candidates[0]?.content.parts).toEqual([SIGNED])
    expect(upstreamBody().generationConfig).toEqual({ responseModalities: ['IMAGE'] })
  })

  test('of a provider that accepts only prompts', async () => {
    upstream.answer(sends(PNG))
    const body = await okBody(await call(wholePath(OVER_OPENAI), order()))
    expect(body.candidates[0]?.content.parts).toEqual([inline(PNG)])
    expect(upstreamBody()).toMatchObject({ model: 'gpt-image-1.5', prompt: 'a red house', n: 1 })
    expect(await lastCall()).toMatchObject({ cost_nanos: 50_000_000 })
  })

  test('of several candidates has an image for each, all charged', async () => {
    const body = await okBody(await call(wholePath(PICTURE), config({ candidateCount: 3 })))
    expect(body.candidates.map(({ content }) => content.parts.at(-1))).toEqual([SIGNED, SIGNED, SIGNED])
    expect(await lastCall()).toMatchObject({ cost_nanos: 3 * IMAGE_NANOS, images: 3 })
  })

  test('with fewer images than requested is charged for the received ones', async () => {
    let requests = 0
    upstream.answer(() => (requests++ === 0 ? signedImage(PNG) : refuses(500, {}, {})))
    const body = await okBody(await call(wholePath(PICTURE), config({ candidateCount: 2 })))
    expect(body.candidates).toHaveLength(1)
    expect(await lastCall()).toMatchObject({ cost_nanos: IMAGE_NANOS, images: 1 })
  })

  test('has the requested aspect ratio, whatever the provider returns', async () => {
    const shape = { imageConfig: { aspectRatio: '1:1' } }
    const body = await okBody(await call(wholePath(PICTURE), config(shape)))
    const parts = body.candidates.flatMap(({ content }) => content.parts)
    const { width, height } = await measure((parts.at(-1) as ReturnType<typeof inline>).inlineData.data)
    expect([width, height]).toEqual([32, 32])
    expect(upstreamBody().generationConfig).toEqual({ responseModalities: ['TEXT', 'IMAGE'], ...shape })
  })

  test('is stored, and a later edit can refer to it', async () => {
    await okBody(await call(wholePath(PICTURE), order()))
    const history = (await (await call('/api/images/history')).json()) as { images: { id: string }[] }
    expect(history.images[0]).toMatchObject({ model: PICTURE, prompt: 'a red house', kind: 'generation' })
    const edit = { model: PICTURE, prompt: 'make it blue', generation_id: history.images[0]?.id }
    expect((await call('/v1/images/edits', edit)).status).toBe(200)
  })
})

test('safety settings reach a provider of the native family', async () => {
  const safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }]
  await okBody(await call(wholePath(PICTURE), order({ safetySettings })))
  expect(upstreamBody()).toMatchObject({ safetySettings })
})

describe('a size', () => {
  test('with its own price is charged at that price', async () => {
    await okBody(await call(wholePath(SIZED), config({ imageConfig: { imageSize: '4K' } })))
    expect(upstreamBody().generationConfig).toMatchObject({ imageConfig: { imageSize: '4K' } })
    expect(await lastCall()).toMatchObject({ model: SIZED, cost_nanos: 240_000_000 })
  })

  test.each(['1K', '2K'])('%s reaches the provider', async (imageSize) => {
    await okBody(await call(wholePath(PICTURE), config({ imageConfig: { imageSize } })))
    expect(upstreamBody().generationConfig).toMatchObject({ imageConfig: { imageSize } })
    expect(await lastCall()).toMatchObject({ cost_nanos: IMAGE_NANOS })
  })
})

describe('input images', () => {
  const edit = (...parts: object[]) => ({ contents: [USER(PROMPT, ...parts)] })

  test.each([
    ['PNG', PNG, 'image/png'],
    ['JPEG', JPEG, 'image/jpeg'],
    ['WebP', WEBP, 'image/webp'],
  ])('%s: an edit, in the order of its parts', async (_, bytes, mime) => {
    await okBody(await call(wholePath(PICTURE), edit(inline(bytes, mime), { text: 'make it blue' })))
    expect(contents()).toEqual([USER(PROMPT, inline(bytes, mime), { text: 'make it blue' })])
    expect(newestRow()).toMatchObject({ kind: 'edit', prompt: 'a red house\nmake it blue', parents: '[]' })
  })

  test('HEIC, which only providers of the native family read', async () => {
    const heic = inline(Buffer.from('any bytes'), 'image/heic')
    await okBody(await call(wholePath(PICTURE), edit(heic)))
    expect(contents()).toEqual([USER(PROMPT, heic)])
  })

  test('a GIF: the provider receives its first frame as a PNG', async () => {
    await okBody(await call(wholePath(PICTURE), edit(inline(GIF, 'image/gif'))))
    expect(JSON.stringify(contents())).toContain('"mimeType":"image/png"')
  })

  test('two different images are a compose; a repeated image counts once', async () => {
    await okBody(await call(wholePath(PICTURE), edit(inline(PNG), inline(JPEG, 'image/jpeg'), inline(PNG))))
    expect(newestRow()).toMatchObject({ kind: 'compose' })
    expect(contents()).toEqual([USER(PROMPT, inline(PNG), inline(JPEG, 'image/jpeg'), inline(PNG))])
  })

  test('in snake_case, as the specification writes them', async () => {
    const part = { inline_data: { mime_type: 'image/png', data: base64Of(PNG) } }
    await okBody(await call(wholePath(PICTURE), edit(part)))
    expect(contents()).toEqual([USER(PROMPT, inline(PNG))])
  })

  test('by URL: fetched by the gateway, not by the provider', async () => {
    const fileUri = 'https://pictures.example.com/cat.png'
    await okBody(await call(wholePath(PICTURE), edit({ fileData: { fileUri, mimeType: 'image/png' } })))
    expect(contents()).toEqual([USER(PROMPT, inline(PNG))])
    expect(fetched.at(-1)).toBe(fileUri)
  })

  test('an earlier image by the model is sent with its signature and the conversation', async () => {
    const turns = [USER(PROMPT), MODEL_TURN({ text: 'Here it is.' }, SIGNED), USER({ text: 'now blue' })]
    await okBody(
      await call(wholePath(PICTURE), { contents: turns, systemInstruction: { parts: [{ text: 'Oil.' }] } }),
    )
    expect(upstreamBody()).toMatchObject({
      contents: turns,
      systemInstruction: { parts: [{ text: 'Oil.' }] },
    })
    expect(newestRow()).toMatchObject({ kind: 'edit', prompt: 'Oil.\nnow blue' })
  })

  test('a provider without conversations receives the last image and the text after it', async () => {
    upstream.answer(sends(PNG))
    const turns = [USER(PROMPT, inline(JPEG, 'image/jpeg')), MODEL_TURN(SIGNED), USER({ text: 'now blue' })]
    await okBody(await call(wholePath(OVER_OPENAI), { contents: turns }))
    const { path, body } = upstream.last()
    expect(path).toEndWith('/images/edits')
    expect(body.includes(PNG)).toBe(true)
    expect(body.includes(JPEG)).toBe(false)
    expect(body.includes('now blue')).toBe(true)
    expect(body.includes('a red house')).toBe(false)
  })

  test('a large body, which a worker thread parses', async () => {
    const filler = USER({ text: ' '.repeat(1_100_000) }, inline(PNG))
    await okBody(await call(wholePath(PICTURE), { contents: [filler, MODEL_TURN(SIGNED), USER(PROMPT)] }))
    expect(newestRow()).toMatchObject({ kind: 'edit', prompt: 'a red house' })
  })
})

describe('refused before anything is held', () => {
  const part = (second: object) => order({ contents: [USER(PROMPT, second)] })
  const REFUSED: readonly (readonly [row: string, body: object, field: string])[] = [
    ['no text', { contents: [USER(inline(PNG))] }, 'contents'],
    ['only white space', { contents: [USER({ text: ' \n' })] }, 'contents'],
    ['no text after the last picture', { contents: [USER(PROMPT), MODEL_TURN(SIGNED)] }, 'contents'],
    ['a prompt that is too long', { contents: [USER({ text: 'x'.repeat(32_001) })] }, 'contents'],
    ['text only', config({ responseModalities: ['TEXT'] }), 'generationConfig.responseModalities'],
    ['audio', config({ responseModalities: ['AUDIO'] }), 'generationConfig.responseModalities'],
    ['zero candidates', config({ candidateCount: 0 }), 'generationConfig.candidateCount'],
    ['too many candidates', config({ candidateCount: 5 }), 'generationConfig.candidateCount'],
    [
      'a size that the model neither lists nor prices',
      config({ imageConfig: { imageSize: '4K' } }),
      'generationConfig.imageConfig.imageSize',
    ],
    ['a ratio in words', config({ imageConfig: { aspectRatio: 'wide' } }), 'aspect_ratio'],
    ['an unknown field of the shape', config({ imageConfig: { colour: 'red' } }), 'imageConfig.colour'],
    ['tools', order({ tools: [{ functionDeclarations: [{ name: 'f' }] }] }), 'tools'],
    ['search', order({ tools: [{ googleSearch: {} }] }), 'tools'],
    ['cached content', order({ cachedContent: 'cachedContents/a' }), 'cachedContent'],
    ['JSON', config({ responseMimeType: 'application/json' }), 'generationConfig.responseJsonSchema'],
    ['audio input', part(inline(PNG, 'audio/wav')), 'contents[0].parts[1]'],
    ['bytes that are not an image', part(inline(Buffer.from('no image'))), 'contents[0].parts[1]'],
    ['bytes of another type', part(inline(JPEG, 'image/png')), 'contents[0].parts[1]'],
    [
      'data that is not base64',
      part({ inlineData: { mimeType: 'image/png', data: '###' } }),
      'contents[0].parts[1]',
    ],
    [
      'an address that cannot be fetched',
      part({ fileData: { fileUri: 'https://pictures.example.com/none.png', mimeType: 'image/png' } }),
      'contents[0].parts[1]',
    ],
    [
      'a file stored at the provider',
      part({
        fileData: {
          fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/x',
          mimeType: 'image/png',
        },
      }),
      'fileUri',
    ],
    ['no contents', { contents: [] }, 'contents'],
    ['not a JSON object', [] as object, 'body'],
  ]
  test.each(REFUSED)('%s', async (_, body, field) => {
    const before = [await storedIn(gateway), upstream.requests.length]
    const refusal = await refusalOf(await call(wholePath(PICTURE), body))
    expect([refusal.status, refusal.body]).toEqual([400, nativeError(400, 'INVALID_ARGUMENT')])
    expect(refusal.message).toContain(field)
    expect([await storedIn(gateway), upstream.requests.length]).toEqual(before)
  })

  test.each([
    [
      'a model that the key may not call',
      async () => gateway.caller('10', { models: ['other-*'] }),
      PICTURE,
      403,
    ],
    ['a retired model', async () => gateway.caller('10'), RETIRED_PICTURE, 404],
    ['an insufficient balance', async () => gateway.caller('0.039'), PICTURE, 402],
    ['no key', async () => undefined, PICTURE, 401],
  ])('%s', async (_, keyOf, model, status) => {
    const key = await keyOf()
    const before = [await storedIn(gateway), upstream.requests.length]
    expect((await gateway.call(wholePath(model), order(), { key })).status).toBe(status)
    expect([await storedIn(gateway), upstream.requests.length]).toEqual(before)
  })
})

describe('a failed generation costs nothing and returns a native error:', () => {
  const candidates = (candidate: object) => whole({ candidates: [candidate] })
  test.each([
    ['moderation', candidates({ finishReason: 'IMAGE_SAFETY' }), 400, 'INVALID_ARGUMENT'],
    ['a blocked prompt', whole({ promptFeedback: { blockReason: 'SAFETY' } }), 400, 'INVALID_ARGUMENT'],
    ['text alone', candidates({ content: { parts: [{ text: 'No.' }] } }), 400, 'INVALID_ARGUMENT'],
    [
      'an image that does not decode',
      candidates({ content: { parts: [inline(Buffer.from('no'))] } }),
      502,
      'UNAVAILABLE',
    ],
    ['a provider that fails', refuses(500, {}), 502, 'UNAVAILABLE'],
    ['a connection that breaks', RESET, 502, 'UNAVAILABLE'],
  ])('%s', async (_, answer, status, name) => {
    upstream.answer(answer)
    for (const path of [wholePath, streamPath]) {
      const refusal = await refusalOf(await call(path(PICTURE), order()))
      expect([refusal.status, refusal.body]).toEqual([status, nativeError(status, name)])
      expect(await lastCall()).toMatchObject({ cost_nanos: 0, outcome: 'failed' })
    }
  })

  test('a provider that takes too long', async () => {
    upstream.answer(SILENCE)
    expect((await refusalOf(await call(wholePath(HASTY), order()))).status).toBe(502)
    expect(await lastCall()).toMatchObject({ cost_nanos: 0 })
  })
})

test('a repeated Idempotency-Key makes one image and one charge', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const key = await gateway.caller('1')
  const first = await gateway.call(streamPath(PICTURE), order(), { key, headers })
  const text = await first.text()
  const { length } = upstream.requests
  const again = await gateway.call(streamPath(PICTURE), order(), { key, headers })
  expect([await again.text(), again.headers.get('idempotent-replayed')]).toEqual([text, 'true'])
  expect(upstream.requests).toHaveLength(length)
})

describe('@google/genai', () => {
  const sdkFor = (key: string) =>
    new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url.origin } })

  test('generateContent, and its stream', async () => {
    const sdk = sdkFor(await gateway.caller('1'))
    const request = {
      model: PICTURE,
      contents: 'a red house',
      config: { imageConfig: { aspectRatio: '3:2' } },
    }
    const response = await sdk.models.generateContent(request)
    expect([response.text, response.data]).toEqual(['Here it is.', base64Of(PNG)])
    const streamed: string[] = []
    for await (const chunk of await sdk.models.generateContentStream(request)) streamed.push(chunk.data ?? '')
    expect(streamed.join('')).toBe(base64Of(PNG))
  })

  test('a chat with images: the second turn sends the first image with its signature', async () => {
    const chat = sdkFor(await gateway.caller('1')).chats.create({ model: PICTURE })
    await chat.sendMessage({ message: [PROMPT, inline(JPEG, 'image/jpeg')] })
    const response = await chat.sendMessage({ message: 'now blue' })
    expect(response.data).toBe(base64Of(PNG))
    expect(contents()).toEqual([
      USER(PROMPT, inline(JPEG, 'image/jpeg')),
      MODEL_TURN({ text: 'Here it is.' }, SIGNED),
      USER({ text: 'now blue' }),
    ])
  })
})

async function measure(data: string) {
  const { default: sharp } = await import('sharp')
  return sharp(Buffer.from(data, 'base64')).metadata()
}

function newestRow(): object {
  const rows = gateway.db.query<object, []>('SELECT * FROM generations ORDER BY id').all()
  return rows.at(-1) ?? {}
}
