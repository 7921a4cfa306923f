// Edits in JSON with fields of OpenAI's API: images, a mask, and further qualities, for models whose entries allow them; all others are unchanged.
import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { paint } from '../media/support.ts'
import { PROVIDER } from '../support/catalogue.ts'
import { expectRefused, type Refusal, storedIn } from '../support/image-refusals.ts'
import { modelSection } from '../support/sections.ts'
import {
  COMPOSE,
  dataUri,
  EDITS,
  editForm,
  GENERATIONS,
  generated,
  generation,
  imagesIn,
  imagesScene,
  JPEG,
  OVER_OPENAI,
  PICTURE,
  PNG,
  postForm,
  sends,
  uploaded,
} from './support.ts'

const EDITOR = 'test-editor'
/** Its provider takes no mask. */
const MASKLESS = 'test-maskless'
/** Accepts the further quality max, and nothing else. */
const MAX_ONLY = 'test-max-only'
const modelOf = (id: string, routes: Record<string, string>) =>
  modelSection(id, routes, {
    kind: 'image',
    price: 'per_image = 0.05',
    more: 'qualities = ["xhigh", "max"]\nedit_images = true',
  })
const { gateway, upstream, fetched, lastCall } = await imagesScene(
  modelOf(EDITOR, { 'openai-images': 'gpt-image-2.6-flare' }) +
    modelOf(MASKLESS, { [PROVIDER]: 'upstream-image' }) +
    modelSection(
      MAX_ONLY,
      { 'openai-images': 'gpt-image-2.6-flare' },
      { kind: 'image', price: 'per_image = 0.05', more: 'qualities = ["max"]' },
    ),
)

const MASK = Buffer.from(await paint('png', { width: 48, height: 32 }))
const OPAQUE = Buffer.from(await paint('png', { width: 48, height: 32, alpha: false }))
const SMALL = Buffer.from(await paint('png', { width: 24, height: 32 }))
const CAT = 'https://pictures.example.com/cat.png'
const url = (bytes: Uint8Array, mime?: string) => ({ image_url: dataUri(bytes, mime) })
const edit = (rest: object) => ({ model: EDITOR, prompt: 'make it blue', ...rest })

describe('images', () => {
  test.each<[about: string, images: (key: string) => Promise<object[]>, count: number]>([
    ['a data URI', async () => [url(PNG)], 1],
    ['an address', async () => [{ image_url: CAT }], 1],
    ['the key of an upload', async (key) => [{ file_id: await uploaded(gateway, key) }], 1],
    ['the UUID of an earlier image', async (key) => [{ file_id: await generated(gateway, key) }], 1],
    ['three together', async () => [url(PNG), url(JPEG, 'image/jpeg'), url(SMALL)], 3],
  ])('%s', async (_, images, count) => {
    const key = await gateway.caller('10')
    const body = edit({ images: await images(key), output_format: 'webp' })
    upstream.answer(sends(PNG))
    await imagesIn(await gateway.call(EDITS, body, { key }))
    const form = await readSentForm()
    expect(form.getAll('image[]').length + form.getAll('image').length).toBe(count)
    expect(await lastCall()).toMatchObject({ cost_nanos: 50_000_000, images: 1 })
  })

  test("OpenAI's SDK posts them with a mask, which reaches the provider", async () => {
    upstream.answer(sends(PNG))
    const apiKey = await gateway.caller('10')
    const openai = new OpenAI({ apiKey, baseURL: `${gateway.url.origin}/v1`, maxRetries: 0 })
    const body = edit({ images: [url(PNG)], mask: url(MASK), quality: 'max' })
    const made = await openai.post<OpenAI.Images.ImagesResponse>('/images/edits', { body })
    expect(made.data).toHaveLength(1)
    const form = await readSentForm()
    expect([form.get('quality'), form.get('mask')]).toEqual(['max', expect.any(Blob)])
  })

  test('more than 1 MB of images is read', async () => {
    upstream.answer(sends(PNG))
    const key = await gateway.caller('10')
    const large = Buffer.concat([PNG, Buffer.alloc(1_500_000)])
    const answer = await gateway.call(EDITS, edit({ images: [url(large)] }), { key })
    expect(answer.status).toBe(200)
  })
})

describe('refusals are free', () => {
  test.each<[about: string, fields: object, refusal: Refusal]>([
    ['no image', {}, [400, 'invalid_request', 'image_key']],
    ['an empty list', { images: [] }, [400, 'invalid_request', 'images']],
    ['four images', { images: [1, 2, 3, 4].map(() => url(PNG)) }, [400, 'invalid_request', 'images']],
    ['a text in the list', { images: [CAT] }, [400, 'invalid_request']],
    ['both fields', { images: [{ ...url(PNG), file_id: 'x' }] }, [400, 'invalid_request', 'images.0']],
    ['neither field', { images: [{}] }, [400, 'invalid_request', 'images.0']],
    ['an unknown field', { images: [{ ...url(PNG), detail: 'high' }] }, [400, 'invalid_request']],
    ['images beside image_key', { images: [url(PNG)], image_key: 'x' }, [400, 'invalid_request', 'images']],
    ['the same twice', { images: [url(PNG), url(PNG)] }, [400, 'duplicate_reference']],
    ["another account's key", { images: [{ file_id: 'u/999/x.png' }] }, [400, 'invalid_image_key']],
    [
      'an unknown image',
      { images: [{ file_id: '00000000-0000-4000-8000-000000000000' }] },
      [404, 'generation_not_found'],
    ],
    ['plain http', { images: [{ image_url: 'http://pictures.example.com/cat.png' }] }, [400, 'NON_HTTPS']],
    [
      'a mask that is a JPEG',
      { images: [url(PNG)], mask: url(JPEG, 'image/jpeg') },
      [400, 'invalid_request', 'mask'],
    ],
    ['a mask of another size', { images: [url(PNG)], mask: url(SMALL) }, [400, 'invalid_request', 'mask']],
    ['a mask without alpha', { images: [url(PNG)], mask: url(OPAQUE) }, [400, 'invalid_request', 'mask']],
    [
      'a mask that no provider accepts',
      { model: MASKLESS, images: [url(PNG)], mask: url(MASK) },
      [400, 'invalid_request', 'mask'],
    ],
    [
      'a quality that no provider accepts',
      { model: MASKLESS, images: [url(PNG)], quality: 'max' },
      [400, 'invalid_request', 'quality'],
    ],
    ['an unknown quality', { images: [url(PNG)], quality: 'ultra' }, [400, 'invalid_request', 'quality']],
  ])('%s', async (_, fields, refusal) => {
    const key = await gateway.caller('10')
    const before = await storedIn(gateway)
    let upstream_calls = 0
    upstream.answer(() => {
      upstream_calls += 1
      return sends(PNG)
    })
    await expectRefused(gateway, before, await gateway.call(EDITS, edit(fields), { key }), refusal)
    expect(upstream_calls).toBe(0)
    expect(fetched).not.toContain('http://pictures.example.com/cat.png')
  })
})

describe('models whose entries allow none of it: the refusals are unchanged, word for word', () => {
  const error = (message: string, param: string) => ({
    error: { message, type: 'invalid_request_error', code: 'invalid_request', param },
  })
  const QUALITY = error('quality: must be one of auto, high, medium, low.', 'quality')
  const unknown = (name: string, allowed: string) =>
    error(`${name}: unknown field; allowed: ${allowed}.`, name)
  const FIRST =
    'model, prompt, n, size, aspect_ratio, quality, background, response_format, user, safety_identifier'
  const WRITTEN = 'stream, partial_images, output_format, output_compression'
  const OF_GENERATIONS = `${FIRST}, ${WRITTEN}, moderation`
  const OF_EDITS = `${FIRST}, ${WRITTEN}, input_fidelity, image_key, generation_id`
  const OF_COMPOSE = `${FIRST}, image_keys, generation_ids, image_urls`
  const named = { image_key: 'x' }
  const composed = { image_urls: [dataUri(PNG)] }
  test.each<[about: string, path: string, fields: object, body: object]>([
    ...['xhigh', 'max', 'standard', 'XHIGH'].flatMap((quality): [string, string, object, object][] => [
      [quality, GENERATIONS, { quality }, QUALITY],
      [quality, EDITS, { quality, ...named }, QUALITY],
      [quality, COMPOSE, { quality, ...composed }, QUALITY],
    ]),
    ['images', GENERATIONS, { images: [url(PNG)] }, unknown('images', OF_GENERATIONS)],
    ['images', EDITS, { images: [url(PNG)] }, unknown('images', OF_EDITS)],
    ['images beside an image', EDITS, { images: [url(PNG)], ...named }, unknown('images', OF_EDITS)],
    ['no images', EDITS, { images: [], ...named }, unknown('images', OF_EDITS)],
    ['images', COMPOSE, { images: [url(PNG)], ...composed }, unknown('images', OF_COMPOSE)],
    ['mask', GENERATIONS, { mask: url(PNG) }, unknown('mask', OF_GENERATIONS)],
    ['mask', EDITS, { mask: url(PNG), ...named }, unknown('mask', OF_EDITS)],
    ['mask', COMPOSE, { mask: url(PNG), ...composed }, unknown('mask', OF_COMPOSE)],
    [
      'neither image',
      EDITS,
      {},
      error('One of image_key and generation_id is needed: send exactly one of them.', 'image_key'),
    ],
    [
      'both images',
      EDITS,
      { ...named, generation_id: crypto.randomUUID() },
      error('image_key and generation_id exclude each other: send exactly one of them.', 'image_key'),
    ],
  ])('%s', async (_, path, fields, body) => {
    const key = await gateway.caller('10')
    const before = await storedIn(gateway)
    for (const model of [PICTURE, OVER_OPENAI, 'no-such-model']) {
      const refused = await gateway.call(path, generation({ model, ...fields }), { key })
      expect([refused.status, await refused.json()]).toEqual([400, body])
    }
    expect(await storedIn(gateway)).toEqual(before)
  })

  test('an entry with one further quality allows that quality alone, and no images', async () => {
    const key = await gateway.caller('10')
    const refused = await gateway.call(GENERATIONS, generation({ model: MAX_ONLY, quality: 'xhigh' }), {
      key,
    })
    expect([refused.status, await refused.json()]).toEqual([
      400,
      error('quality: must be one of auto, high, medium, low, max.', 'quality'),
    ])
    const images = await gateway.call(EDITS, generation({ model: MAX_ONLY, images: [url(PNG)] }), { key })
    expect([images.status, await images.json()]).toEqual([400, unknown('images', OF_EDITS)])
    upstream.answer(sends(PNG))
    await imagesIn(await gateway.call(GENERATIONS, generation({ model: MAX_ONLY, quality: 'max' }), { key }))
  })

  test('a form with such a quality, and a body above 1 MB, are refused', async () => {
    const key = await gateway.caller('10')
    const form = await postForm(gateway, key, editForm({ quality: 'xhigh' }))
    expect([form.status, await form.json()]).toEqual([400, QUALITY])
    const large = await gateway.call(EDITS, generation({ image_key: 'x', user: 'u'.repeat(1_100_000) }), {
      key,
    })
    expect([large.status, await large.json()]).toMatchObject([
      413,
      { error: { message: expect.stringContaining('1 MB') } },
    ])
  })
})

async function readSentForm(): Promise<FormData> {
  const { body, headers } = upstream.last()
  return new Response(new Uint8Array(body), {
    headers: { 'content-type': headers['content-type'] ?? '' },
  }).formData() as Promise<FormData>
}
