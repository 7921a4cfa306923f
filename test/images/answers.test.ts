// spec.md, Image response: it matches the request, whatever the provider made; and OpenAI's SDK as the client.
import { describe, expect, test } from 'bun:test'
import OpenAI, { toFile } from 'openai'
import { sniffImage } from '../../src/domain/image-formats.ts'
import { hasAspectRatio, parseAspectRatio } from '../../src/domain/image-size.ts'
import { inspectImage } from '../../src/media/inspect.ts'
import { PROVIDER } from '../support/catalogue.ts'
import { storedIn } from '../support/image-refusals.ts'
import { sample } from '../support/long.ts'
import {
  COMPOSE,
  compose,
  draws,
  EDITS,
  GENERATIONS,
  generated,
  generation,
  imagesIn,
  imagesScene,
  JPEG,
  OVER_OPENAI,
  PICTURE,
  PNG,
  REVISED_PROMPT,
  sends,
} from './support.ts'

const { gateway, upstream } = await imagesScene()

const ENDPOINTS = [
  ['generations', GENERATIONS, async () => generation()],
  ['edits', EDITS, async (key: string) => generation({ generation_id: await generated(gateway, key) })],
  ['compose', COMPOSE, async () => compose()],
] as const

const SIZES = ['256x256', '512x512', '96x32', '33x77']
const RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3']

describe.each(ENDPOINTS.map((row, at) => [...row, at] as const))('%s', (name, path, request, at) => {
  async function ask(fields: object = {}) {
    const key = await gateway.caller()
    const body = { ...(await request(key)), ...fields }
    const answer = await imagesIn(await gateway.call(path, body, { key }))
    const bytes = answer.data.map(({ b64_json }) => Buffer.from(b64_json, 'base64'))
    return { key, answer, bytes, facts: await Promise.all(bytes.map(inspectImage)) }
  }

  test('created: Unix timestamp in seconds; data: base64 without a data: prefix, revised_prompt null', async () => {
    const { answer } = await ask({ n: 2 })
    expect(Math.abs(answer.created - Date.now() / 1000)).toBeLessThan(60)
    expect(Number.isInteger(answer.created)).toBe(true)
    expect(answer.data).toHaveLength(2)
    for (const { b64_json, revised_prompt } of answer.data) {
      expect(b64_json).toMatch(/^[A-Za-z0-9+/]+={0,2}$/)
      expect(revised_prompt).toBeNull()
    }
  })

  test('svc_generation_ids: UUIDs, index-aligned with data, whose images are stored under them', async () => {
    const { key, answer, bytes } = await ask({ n: 2 })
    expect(new Set(answer.svc_generation_ids).size).toBe(2)
    for (const [index, id] of answer.svc_generation_ids.entries()) {
      const stored = await gateway.call(`/api/images/${id}`, undefined, { key })
      expect([stored.status, stored.headers.get('content-type')]).toEqual([200, 'image/png'])
      expect(Buffer.from(await stored.arrayBuffer())).toEqual(bytes[index] ?? Buffer.alloc(0))
    }
  })

  test.each(sample(SIZES, at))('size %s, exactly', async (size) => {
    const { facts } = await ask({ size })
    expect(facts.map(({ width, height }) => `${width}x${height}`)).toEqual([size])
  })

  test.each(sample(RATIOS, at))('aspect_ratio %s, exactly', async (aspect_ratio) => {
    const { facts } = await ask({ aspect_ratio })
    const [made = { width: 0, height: 0 }] = facts
    expect(hasAspectRatio(made, parseAspectRatio(aspect_ratio))).toBe(true)
  })

  test('size auto: as the provider made it, byte for byte', async () => {
    const { bytes } = await ask({ size: 'auto' })
    expect(bytes[0]).toEqual(PNG)
  })

  test('background transparent has an alpha channel; opaque has none', async () => {
    upstream.answer(draws(JPEG))
    const transparent = await ask({ background: 'transparent' })
    expect(transparent.facts[0]).toMatchObject({ has_alpha: true, mime: 'image/png' })
    upstream.answer(draws(PNG))
    const opaque = await ask({ background: 'opaque' })
    expect(opaque.facts[0]?.has_alpha).toBe(false)
  })

  if (name === 'compose') {
    test('always PNG', async () => {
      upstream.answer(draws(JPEG))
      const { facts } = await ask()
      expect(facts[0]?.mime).toBe('image/png')
    })
  } else {
    test.each(['png', 'jpeg', 'webp'] as const)(
      'output_format %s is the format of the bytes',
      async (output_format) => {
        upstream.answer(draws(output_format === 'jpeg' ? PNG : JPEG))
        const { bytes, answer, key } = await ask({ output_format })
        expect(sniffImage(bytes[0] ?? new Uint8Array())).toBe(`image/${output_format}`)
        const [id] = answer.svc_generation_ids
        const stored = await gateway.call(`/api/images/${id}`, undefined, { key })
        expect(stored.headers.get('content-type')).toBe(`image/${output_format}`)
      },
    )
  }

  test('is recorded: the image with its kind, model and dimensions, the call with its provider', async () => {
    const { answer } = await ask()
    expect(await gateway.lastCall()).toMatchObject({
      provider: PROVIDER,
      upstream_model: 'upstream-image',
      first_byte_ms: expect.any(Number),
    })
    const { generations } = await storedIn(gateway)
    expect(generations.find(({ uuid }) => uuid === answer.svc_generation_ids[0])).toMatchObject({
      kind: { generations: 'generation', edits: 'edit', compose: 'compose' }[name],
      state: 'stored',
      model: PICTURE,
      mime: 'image/png',
      width: 48,
      height: 32,
      bytes: PNG.length,
    })
  })
})

describe('the request to each provider', () => {
  const lastJson = () => JSON.parse(upstream.last().body.toString())

  test('Gemini: the supported aspect ratio nearest to the size', async () => {
    const key = await gateway.caller()
    await imagesIn(await gateway.call(GENERATIONS, generation({ size: '1792x1024' }), { key }))
    expect(upstream.last().path).toBe('/v1beta/models/upstream-image:generateContent')
    expect(lastJson().generationConfig).toEqual({
      responseModalities: ['TEXT', 'IMAGE'],
      imageConfig: { aspectRatio: '16:9' },
    })
  })

  test('OpenAI: generations in JSON; the revised prompt is passed on', async () => {
    const key = await gateway.caller()
    upstream.answer(sends(PNG))
    const body = generation({ model: OVER_OPENAI, size: '1792x1024', quality: 'low', response_format: 'url' })
    const { data } = await imagesIn(await gateway.call(GENERATIONS, body, { key }))
    expect(data[0]?.revised_prompt).toBe(REVISED_PROMPT)
    expect(upstream.last().path).toBe('/images/generations')
    expect(lastJson()).toEqual({
      model: 'gpt-image-1.5',
      prompt: 'a red house',
      n: 1,
      size: '1536x1024',
      quality: 'low',
    })
  })

  test('OpenAI: edits as a form with each image', async () => {
    const key = await gateway.caller()
    upstream.answer(sends(PNG))
    const generation_ids = [await generateOverOpenai(key), await generateOverOpenai(key)]
    const body = generation({ model: OVER_OPENAI, generation_ids })
    await imagesIn(await gateway.call(COMPOSE, body, { key }))
    const { path, headers, body: sent } = upstream.last()
    expect(path).toBe('/images/edits')
    const form = await new Response(new Uint8Array(sent), {
      headers: { 'content-type': headers['content-type'] ?? '' },
    }).formData()
    expect([form.get('prompt'), form.get('n'), form.getAll('image[]').length]).toEqual([
      'a red house',
      '1',
      2,
    ])
  })

  async function generateOverOpenai(key: string): Promise<string> {
    const body = generation({ model: OVER_OPENAI })
    const { svc_generation_ids } = await imagesIn(await gateway.call(GENERATIONS, body, { key }))
    return svc_generation_ids[0] ?? ''
  }
})

describe("OpenAI's SDK", () => {
  async function client() {
    const apiKey = await gateway.caller()
    return new OpenAI({ apiKey, baseURL: new URL('/v1', gateway.url).href, maxRetries: 0 })
  }

  test('images.generate; response_format url still returns base64', async () => {
    const openai = await client()
    const made = await openai.images.generate({
      model: PICTURE,
      prompt: 'a red house',
      n: 2,
      size: '512x512',
      quality: 'high',
      response_format: 'url',
    })
    expect(made.data?.map(({ b64_json, url }) => [typeof b64_json, url])).toEqual([
      ['string', undefined],
      ['string', undefined],
    ])
  })

  test('images.edit, with one image and with an array of one', async () => {
    const openai = await client()
    const image = () => toFile(PNG, 'house.png', { type: 'image/png' })
    for (const source of [await image(), [await image()]]) {
      const made = await openai.images.edit({
        model: PICTURE,
        prompt: 'bluer',
        image: source,
        n: 1,
        size: '1024x1024',
      })
      expect(made.data?.[0]?.b64_json).toMatch(/^iVBOR/)
    }
  })

  test('throws its own class for a refusal', async () => {
    const openai = await client()
    const refused = await openai.images.generate({ model: PICTURE, prompt: '' }).catch((thrown) => thrown)
    expect(refused).toBeInstanceOf(OpenAI.BadRequestError)
    expect(refused).toMatchObject({ status: 400, code: 'invalid_request', param: 'prompt' })
  })
})
