// Image edits and streams as OpenAI's SDK sends them: several files, a mask, events; and variations, which are not supported.
import { describe, expect, test } from 'bun:test'
import OpenAI, { toFile } from 'openai'
import { expectRefused, storedIn } from '../support/image-refusals.ts'
import {
  COMPOSE,
  compose,
  draws,
  EDITS,
  editForm,
  GENERATIONS,
  generation,
  imagesScene,
  JPEG,
  OVER_OPENAI,
  PICTURE,
  PNG,
  postForm,
  sends,
  WEBP,
} from './support.ts'

const { gateway, upstream, lastCall } = await imagesScene()

const IMAGE_NANOS = 40_000_000
const clientOf = (apiKey: string) =>
  new OpenAI({ apiKey, baseURL: `${gateway.url.origin}/v1`, maxRetries: 0 })
const client = async () => clientOf(await gateway.caller('10'))
const file = (bytes: Uint8Array, type = 'image/png') => toFile(bytes, `a.${type.slice(6)}`, { type })
const generations = (): { kind: string; parents: string; mime: string }[] =>
  gateway.db
    .query<{ kind: string; parents: string; mime: string }, []>('SELECT * FROM generations ORDER BY id')
    .all()

/** The parts of the form that went upstream, by their names. */
async function readSentForm(): Promise<FormData> {
  const { body, headers } = upstream.last()
  const type = headers['content-type'] ?? ''
  return new Response(new Uint8Array(body), {
    headers: { 'content-type': type },
  }).formData() as Promise<FormData>
}

describe('images.edit with several images', () => {
  test.each([2, 3])('%i make a compose, at the price of one image, each kept as a file', async (count) => {
    const key = await gateway.caller('10')
    const images = [await file(PNG), await file(JPEG, 'image/jpeg'), await file(WEBP, 'image/webp')]
    const image = images.slice(0, count)
    const made = await clientOf(key).images.edit({ model: PICTURE, prompt: 'both', image })
    expect(made.data).toHaveLength(1)
    expect(await lastCall()).toMatchObject({ cost_nanos: IMAGE_NANOS, images: 1 })
    const files = (await (await gateway.call('/api/v1/files', undefined, { key })).json()) as {
      files: { key: string }[]
    }
    expect(files.files).toHaveLength(count)
    const newest = generations().at(-1)
    expect(newest).toMatchObject({ kind: 'compose' })
    expect(JSON.parse(newest?.parents ?? '').toSorted()).toEqual(files.files.map((one) => one.key).toSorted())
  })

  test('reach the provider in their order', async () => {
    await (await client()).images.edit({
      model: PICTURE,
      prompt: 'both',
      image: [await file(JPEG, 'image/jpeg'), await file(PNG)],
    })
    const { contents } = JSON.parse(upstream.last().body.toString())
    expect(
      contents[0].parts.map(({ inlineData }: { inlineData?: { mimeType: string } }) => inlineData?.mimeType),
    ).toEqual([undefined, 'image/jpeg', 'image/png'])
  })

  test('answer in the requested format', async () => {
    const request = {
      model: PICTURE,
      prompt: 'both',
      image: [await file(PNG), await file(WEBP, 'image/webp')],
    }
    await (await client()).images.edit({ ...request, output_format: 'jpeg' })
    expect(generations().at(-1)).toMatchObject({ mime: 'image/jpeg' })
  })

  test('more than three are refused, and nothing of them is kept', async () => {
    const before = await storedIn(gateway)
    const form = editForm()
    for (const [bytes, type] of [
      [JPEG, 'jpeg'],
      [WEBP, 'webp'],
      [JPEG.subarray(0, -1), 'jpeg'],
    ] as const)
      form.append('image[]', new File([bytes], `b.${type}`, { type: `image/${type}` }))
    const response = await postForm(gateway, await gateway.caller(), form)
    expect(response.status).toBe(400)
    expect(await storedIn(gateway)).toEqual(before)
  })

  test('are another request under the same Idempotency-Key if one image differs', async () => {
    const key = await gateway.caller('10')
    const post = async (second: Uint8Array) => {
      const form = editForm()
      form.append('image[]', new File([second], 'b'))
      const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'once' }
      return fetch(new URL(EDITS, gateway.url), { method: 'POST', headers, body: form })
    }
    expect((await post(JPEG)).status).toBe(200)
    expect((await post(JPEG)).headers.get('idempotent-replayed')).toBe('true')
    expect((await post(WEBP)).status).toBe(422)
  })
})

describe('a mask', () => {
  test('goes with the image to a provider that accepts one', async () => {
    upstream.answer(sends(PNG))
    const made = await (await client()).images.edit({
      model: OVER_OPENAI,
      prompt: 'a door',
      image: await file(JPEG, 'image/jpeg'),
      mask: await file(PNG),
    })
    expect(made.data).toHaveLength(1)
    const form = await readSentForm()
    const mask = form.get('mask') as File
    expect([mask.type, Buffer.from(await mask.arrayBuffer()).equals(PNG)]).toEqual(['image/png', true])
    expect(form.get('image')).toBeInstanceOf(File)
    expect(generations().at(-1)).toMatchObject({ kind: 'edit' })
  })

  test.each([
    ['to a model that accepts none', PICTURE, PNG],
    ['that is not a PNG', OVER_OPENAI, JPEG],
    ['that is too large', OVER_OPENAI, Buffer.concat([PNG, Buffer.alloc(4 * 1024 * 1024)])],
  ])('%s is refused, and nothing is kept', async (_, model, mask) => {
    const key = await gateway.caller()
    const before = [await storedIn(gateway), upstream.requests.length] as const
    const form = editForm({ model, mask: new File([mask], 'mask.png', { type: 'image/png' }) })
    await expectRefused(gateway, before[0], await postForm(gateway, key, form), [
      400,
      'invalid_request',
      'mask',
    ])
    expect(upstream.requests.length).toBe(before[1])
  })
})

describe('stream: true', () => {
  test('images.generate: one event, with the image whole, and the charge of one image', async () => {
    const events: OpenAI.ImageGenStreamEvent[] = []
    const stream = await (await client()).images.generate({
      model: PICTURE,
      prompt: 'a house',
      stream: true,
      partial_images: 2,
    })
    for await (const event of stream) events.push(event)
    expect(events).toMatchObject([
      {
        type: 'image_generation.completed',
        b64_json: PNG.toString('base64'),
        size: '48x32',
        output_format: 'png',
        quality: 'auto',
        background: 'auto',
        cost: '0.04',
      },
    ])
    expect(await lastCall()).toMatchObject({ cost_nanos: IMAGE_NANOS, images: 1 })
  })

  test('images.edit, with a file', async () => {
    const types: string[] = []
    const request = { model: PICTURE, prompt: 'blue', image: await file(PNG), stream: true as const }
    for await (const { type } of await (await client()).images.edit(request)) types.push(type)
    expect(types).toEqual(['image_edit.completed'])
  })

  test('one event for each image, with the cost in the last one', async () => {
    const response = await gateway.call(GENERATIONS, generation({ n: 3, stream: true }), {
      key: await gateway.caller('1'),
    })
    const events = (await response.text()).split('\n\n').filter((text) => text !== '')
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(events.map((text) => text.split('\n')[0])).toEqual(
      Array(3).fill('event: image_generation.completed'),
    )
    expect(events.map((text) => JSON.parse(text.split('\ndata: ')[1] ?? '').cost)).toEqual([
      undefined,
      undefined,
      '0.12',
    ])
  })

  test('stream: false answers in JSON', async () => {
    const response = await gateway.call(GENERATIONS, generation({ stream: false }), {
      key: await gateway.caller('1'),
    })
    expect(response.headers.get('content-type')).toContain('application/json')
  })

  test('a failure is answered as without a stream, and costs nothing', async () => {
    upstream.answer(draws())
    const before = await storedIn(gateway)
    const key = await gateway.caller('1')
    const response = await gateway.call(GENERATIONS, generation({ stream: true }), { key })
    await expectRefused(gateway, before, response, [400, 'no_image_generated'])
  })

  test.each([
    [{ stream: 'true' }, 'stream'],
    [{ stream: true, partial_images: 4 }, 'partial_images'],
    [{ stream: true, partial_images: -1 }, 'partial_images'],
    [{ stream: true, partial_images: '2' }, 'partial_images'],
  ])('%j is refused', async (fields, param) => {
    const before = await storedIn(gateway)
    const response = await gateway.call(GENERATIONS, generation(fields), { key: await gateway.caller() })
    await expectRefused(gateway, before, response, [400, 'invalid_request', param])
  })

  test('compose, which OpenAI does not have, accepts no stream', async () => {
    const before = await storedIn(gateway)
    const response = await gateway.call(COMPOSE, compose({ stream: true }), { key: await gateway.caller() })
    await expectRefused(gateway, before, response, [400, 'invalid_request', 'stream'])
  })
})

describe('images.createVariation', () => {
  test('gets a 501 that names the alternative', async () => {
    const thrown = await (await client()).images
      .createVariation({ image: await file(PNG) })
      .catch((error) => error)
    expect(thrown).toMatchObject({ status: 501, code: 'unimplemented' })
    expect(thrown.message).toContain('/v1/images/edits')
  })

  test('needs a key first', async () => {
    expect((await gateway.call('/v1/images/variations', {})).status).toBe(401)
  })
})
