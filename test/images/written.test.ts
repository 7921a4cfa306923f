// Fields of OpenAI's images API that not every model accepts: output_compression, input_fidelity, and moderation.
import { beforeEach, describe, expect, test } from 'bun:test'
import OpenAI, { toFile } from 'openai'
import sharp from 'sharp'
import { expectRefused, storedIn } from '../support/image-refusals.ts'
import { FIDELITY_NANOS, IMAGE_NANOS } from './partials-support.ts'
import {
  COMPOSE,
  compose,
  draws,
  EDITS,
  editForm,
  GENERATIONS,
  generated,
  generation,
  HASTY_PARTIAL,
  imagesIn,
  imagesScene,
  NEVER_PARTIAL,
  OTHER_MAKER,
  OVER_OPENAI,
  PARTIAL,
  PARTIAL_OR_WHOLE,
  PICTURE,
  PNG,
  postForm,
  sends,
} from './support.ts'

const { gateway, upstream, key, call, upstreamBody, lastCall, clock } = await imagesScene()

/** Noise: its size shows how it was compressed. */
const NOISE = await sharp({
  create: {
    width: 96,
    height: 96,
    channels: 3,
    noise: { type: 'gaussian', mean: 128, sigma: 60 },
    background: '#000',
  },
})
  .png()
  .toBuffer()
const NOISE_JPEG = await sharp(NOISE).jpeg({ quality: 90 }).toBuffer()

beforeEach(() => {
  clock.now_ms += 61_000
  upstream.answer(({ path }) => (path.includes('/images/') ? sends(NOISE) : draws(NOISE)))
})

const generate = async (body: object): Promise<Buffer> => {
  const { data } = await imagesIn(await call(GENERATIONS, body))
  return Buffer.from(data[0]?.b64_json ?? '', 'base64')
}
const readSentForm = (): Promise<FormData> => {
  const { body, headers } = upstream.last()
  return new Response(new Uint8Array(body), {
    headers: { 'content-type': headers['content-type'] ?? '' },
  }).formData() as Promise<FormData>
}

describe('output_compression', () => {
  test.each(['jpeg', 'webp'] as const)('is the quality of a %s that the gateway writes', async (format) => {
    const write = (output_compression?: number) =>
      generate(generation({ output_format: format, output_compression }))
    const [unset, whole, half, lowest] = [await write(), await write(100), await write(50), await write(0)]
    expect((await sharp(half).metadata()).format).toBe(format)
    expect(whole.length).toBeGreaterThan(unset.length)
    expect(unset.length).toBeGreaterThan(half.length)
    expect(half.length).toBeGreaterThan(lowest.length)
  })

  test('compresses an image again that a provider without the field sent in the requested format', async () => {
    upstream.answer(draws(NOISE_JPEG))
    const compressed = await generate(generation({ output_format: 'jpeg', output_compression: 20 }))
    expect(compressed.length).toBeLessThan(NOISE_JPEG.length / 2)
    expect(await generate(generation({ output_format: 'jpeg' }))).toEqual(NOISE_JPEG)
  })

  test('goes to a provider that has it, whose image is then left unchanged', async () => {
    upstream.answer(sends(NOISE_JPEG))
    const body = generation({ model: OVER_OPENAI, output_format: 'jpeg', output_compression: 20 })
    expect(await generate(body)).toEqual(NOISE_JPEG)
    expect(upstreamBody()).toMatchObject({ output_format: 'jpeg', output_compression: 20 })
  })

  test('is not sent with a PNG, for which 100 means nothing', async () => {
    await generate(generation({ model: OVER_OPENAI, output_compression: 100 }))
    expect(upstreamBody()).not.toHaveProperty('output_compression')
  })

  test('is sent with an edit of the SDK', async () => {
    const client = new OpenAI({ apiKey: key, baseURL: `${gateway.url.origin}/v1`, maxRetries: 0 })
    await client.images.edit({
      model: OVER_OPENAI,
      prompt: 'blue',
      image: await toFile(PNG, 'a.png', { type: 'image/png' }),
      output_format: 'webp',
      output_compression: 30,
    })
    expect((await readSentForm()).get('output_compression')).toBe('30')
  })

  test.each([
    ['with a PNG', { output_format: 'png', output_compression: 99 }],
    ['without a format, which means PNG', { output_compression: 0 }],
    ['above 100', { output_format: 'jpeg', output_compression: 101 }],
    ['below 0', { output_format: 'jpeg', output_compression: -1 }],
    ['a fraction', { output_format: 'jpeg', output_compression: 1.5 }],
    ['a text', { output_format: 'jpeg', output_compression: '50' }],
  ])('%s is refused', async (_, fields) => {
    const before = await storedIn(gateway)
    const response = await call(GENERATIONS, generation(fields))
    await expectRefused(gateway, before, response, [400, 'invalid_request', 'output_compression'])
  })
})

describe('input_fidelity', () => {
  const edit = (fields: Record<string, string>) => postForm(gateway, key, editForm(fields))

  test('high goes to a model that accepts it, and is charged at its price', async () => {
    await imagesIn(await edit({ model: PARTIAL, input_fidelity: 'high' }))
    expect((await readSentForm()).get('input_fidelity')).toBe('high')
    const { cost_nanos, price } = await lastCall()
    expect(cost_nanos).toBe(IMAGE_NANOS + FIDELITY_NANOS)
    expect(JSON.parse(price)).toEqual({
      unit: 'image',
      per_image_nanos: IMAGE_NANOS,
      high_fidelity_nanos: FIDELITY_NANOS,
    })
  })

  test('high is held, and charged for each delivered image', async () => {
    upstream.answer(sends(PNG, PNG))
    const poor = await gateway.caller('0.329')
    const refused = await postForm(
      gateway,
      poor,
      editForm({ model: PARTIAL, input_fidelity: 'high', n: '3' }),
    )
    expect(refused.status).toBe(402)
    await imagesIn(await edit({ model: PARTIAL, input_fidelity: 'high', n: '3' }))
    expect(await lastCall()).toMatchObject({ cost_nanos: 2 * (IMAGE_NANOS + FIDELITY_NANOS), images: 2 })
  })

  test('low, which is the default, costs nothing more, and needs no price', async () => {
    await imagesIn(await edit({ model: OVER_OPENAI, input_fidelity: 'low' }))
    expect((await readSentForm()).get('input_fidelity')).toBe('low')
    expect(await lastCall()).toMatchObject({ cost_nanos: IMAGE_NANOS })
  })

  test('is sent from JSON, too', async () => {
    upstream.answer(draws(PNG))
    const generation_id = await generated(gateway, key)
    upstream.answer(sends(PNG))
    await imagesIn(await call(EDITS, generation({ model: PARTIAL, generation_id, input_fidelity: 'high' })))
    expect((await readSentForm()).get('input_fidelity')).toBe('high')
  })

  test.each([
    ['high without a price', OVER_OPENAI, 'high'],
    ['to a model that always has high fidelity', PARTIAL_OR_WHOLE, 'high'],
    ['to a model of another maker', OTHER_MAKER, 'low'],
    ['to a provider of another protocol', NEVER_PARTIAL, 'high'],
    ['to a provider of another protocol', PICTURE, 'low'],
    ['of an unknown value', HASTY_PARTIAL, 'medium'],
  ])('%s is refused, and nothing is kept', async (_, model, input_fidelity) => {
    const before = await storedIn(gateway)
    const seen = upstream.requests.length
    const response = await edit({ model, input_fidelity })
    await expectRefused(gateway, before, response, [400, 'invalid_request', 'input_fidelity'])
    expect(upstream.requests.length).toBe(seen)
  })
})

describe('moderation', () => {
  test('goes to a model that accepts it', async () => {
    await generate(generation({ model: OVER_OPENAI, moderation: 'low' }))
    expect(upstreamBody()).toMatchObject({ moderation: 'low' })
  })

  test('auto, which is the default, is accepted for every model', async () => {
    await generate(generation({ moderation: 'auto' }))
    await generate(generation({ model: OTHER_MAKER, moderation: 'auto' }))
    expect(upstreamBody()).not.toHaveProperty('moderation')
  })

  test.each([
    ['low, to a model of another protocol', { moderation: 'low' }],
    ['low, to a model of another maker', { model: OTHER_MAKER, moderation: 'low' }],
    ['an unknown value', { model: OVER_OPENAI, moderation: 'none' }],
  ])('%s is refused', async (_, fields) => {
    const before = await storedIn(gateway)
    const response = await call(GENERATIONS, generation(fields))
    await expectRefused(gateway, before, response, [400, 'invalid_request', 'moderation'])
  })
})

describe('a field that OpenAI’s endpoint does not have is refused:', () => {
  test.each([
    ['input_fidelity of a generation', GENERATIONS, generation({ input_fidelity: 'low' }), 'input_fidelity'],
    [
      'moderation of an edit',
      EDITS,
      generation({ generation_id: crypto.randomUUID(), moderation: 'auto' }),
      'moderation',
    ],
    ['output_compression of a compose', COMPOSE, compose({ output_compression: 50 }), 'output_compression'],
    ['input_fidelity of a compose', COMPOSE, compose({ input_fidelity: 'low' }), 'input_fidelity'],
  ])('%s', async (_, path, body, param) => {
    const before = await storedIn(gateway)
    await expectRefused(gateway, before, await call(path, body), [400, 'invalid_request', param])
  })
})

test('safety_identifier is accepted like user, and not passed on', async () => {
  await generate(generation({ model: OVER_OPENAI, safety_identifier: 'someone', user: 'someone' }))
  expect(upstreamBody()).not.toContainAnyKeys(['safety_identifier', 'user'])
})
