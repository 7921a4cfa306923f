// Partial images of streams: passed on at once in the requested form, and priced by the number delivered.
import { beforeEach, describe, expect, test } from 'bun:test'
import OpenAI, { toFile } from 'openai'
import sharp from 'sharp'
import { storedIn } from '../support/image-refusals.ts'
import { refusal as refuses, stream, whole } from '../support/upstream.ts'
import {
  completed,
  eventReader,
  eventsIn,
  failure,
  generationsOf,
  IMAGE_NANOS,
  kindsOf,
  PARTIAL_NANOS,
  partial,
} from './partials-support.ts'
import {
  draws,
  EDITS,
  editForm,
  GENERATIONS,
  generated,
  generation,
  imagesScene,
  JPEG,
  NEVER_PARTIAL,
  OTHER_MAKER,
  OVER_OPENAI,
  PARTIAL,
  PARTIAL_OR_WHOLE,
  PNG,
  postForm,
  SIMULATED_PARTIAL,
  sends,
  WEBP,
} from './support.ts'

const scene = await imagesScene()
const { gateway, upstream, call, clock, upstreamBody, lastCall } = scene
beforeEach(() => {
  clock.now_ms += 61_000
  upstream.answer(stream(partial(JPEG, 0), partial(WEBP, 1), completed(PNG)))
})

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const bodyOf = (rest: object = {}) => generation({ model: PARTIAL, stream: true, partial_images: 2, ...rest })
const clientOf = (apiKey: string) =>
  new OpenAI({ apiKey, baseURL: `${gateway.url.origin}/v1`, maxRetries: 0 })

describe('openai SDK', () => {
  test('images.generate: partial images, then the image, its id, and its cost', async () => {
    const events: OpenAI.ImageGenStreamEvent[] = []
    const made = await clientOf(scene.key).images.generate({
      model: PARTIAL,
      prompt: 'a red house',
      stream: true,
      partial_images: 2,
    })
    for await (const event of made) events.push(event)
    const shape = { size: '48x32', quality: 'auto', background: 'auto' }
    expect(events).toMatchObject([
      {
        type: 'image_generation.partial_image',
        partial_image_index: 0,
        b64_json: base64(JPEG),
        output_format: 'jpeg',
        ...shape,
      },
      {
        type: 'image_generation.partial_image',
        partial_image_index: 1,
        b64_json: base64(WEBP),
        output_format: 'webp',
        ...shape,
      },
      {
        type: 'image_generation.completed',
        b64_json: base64(PNG),
        output_format: 'png',
        svc_generation_id: generationsOf(scene).at(-1)?.uuid,
        usage: { images: 1, partial_images: 2 },
        cost: '0.058',
        ...shape,
      },
    ])
    expect(upstreamBody()).toEqual({
      model: 'gpt-image-1.5',
      prompt: 'a red house',
      n: 1,
      stream: true,
      partial_images: 2,
    })
    const { price, ...record } = await lastCall()
    expect(record).toMatchObject({
      cost_nanos: IMAGE_NANOS + 2 * PARTIAL_NANOS,
      images: 1,
      streamed: 1,
      outcome: 'completed',
      estimated: 0,
      upstream_model: 'gpt-image-1.5',
    })
    expect(JSON.parse(price)).toEqual({
      unit: 'image',
      per_image_nanos: IMAGE_NANOS,
      partial_images: 2,
      partial_image_nanos: PARTIAL_NANOS,
    })
  })

  test('images.edit, with a file: its events have the names of edits', async () => {
    upstream.answer(stream(partial(PNG, 0, 'image_edit'), completed(PNG, 'image_edit')))
    const events: OpenAI.ImageEditStreamEvent[] = []
    const made = await clientOf(scene.key).images.edit({
      model: PARTIAL,
      prompt: 'blue',
      image: await toFile(JPEG, 'a.jpg', { type: 'image/jpeg' }),
      stream: true,
      partial_images: 1,
    })
    for await (const event of made) events.push(event)
    expect(events.map(({ type }) => type)).toEqual(['image_edit.partial_image', 'image_edit.completed'])
    const { body, headers } = upstream.last()
    const type = headers['content-type'] ?? ''
    const form = (await new Response(new Uint8Array(body), {
      headers: { 'content-type': type },
    }).formData()) as FormData
    expect([form.get('stream'), form.get('partial_images'), form.get('image')]).toEqual([
      'true',
      '1',
      expect.any(File),
    ])
    expect(generationsOf(scene).at(-1)).toMatchObject({ kind: 'edit', state: 'stored' })
    expect(await lastCall()).toMatchObject({ cost_nanos: IMAGE_NANOS + PARTIAL_NANOS, images: 1 })
  })
})

describe('a stream', () => {
  test('is passed on at once: a partial image arrives before the provider sends the rest', async () => {
    const rest = Promise.withResolvers<void>()
    upstream.answer(stream(partial(PNG, 0), { wait: rest.promise }, completed(PNG)))
    const events = eventReader(await call(GENERATIONS, bodyOf()))
    expect(await events.next()).toMatchObject({ partial_image_index: 0 })
    expect(gateway.rows().holds.filter(({ state }) => state === 'pending')).toMatchObject([
      { amount_nanos: IMAGE_NANOS + 2 * PARTIAL_NANOS },
    ])
    rest.resolve()
    expect(await events.next()).toMatchObject({ cost: '0.054' })
    expect(await events.next()).toBeUndefined()
  })

  test('has the requested size and format', async () => {
    const response = await call(
      GENERATIONS,
      bodyOf({ size: '64x64', output_format: 'webp', quality: 'high', background: 'opaque' }),
    )
    const events = eventsIn(await response.text())
    for (const event of events) {
      expect(event).toMatchObject({
        size: '64x64',
        output_format: 'webp',
        quality: 'high',
        background: 'opaque',
      })
      const { width, height, format } = await sharp(Buffer.from(event.b64_json ?? '', 'base64')).metadata()
      expect([width, height, format]).toEqual([64, 64, 'webp'])
    }
    expect(kindsOf(events)).toEqual(['partial_image', 'partial_image', 'completed'])
  })

  test.each([
    ['fewer partial images than requested', 3, 1, 1],
    ['no partial images', 2, 0, 0],
    ['more partial images than requested: the rest is neither delivered nor charged', 1, 3, 1],
  ])('%s', async (_, partial_images, sent, delivered) => {
    const partials = Array.from({ length: sent }, (_each, index) => partial(PNG, index))
    upstream.answer(stream(...partials, completed(PNG)))
    const events = eventsIn(await (await call(GENERATIONS, bodyOf({ partial_images }))).text())
    expect(kindsOf(events)).toEqual([...Array(delivered).fill('partial_image'), 'completed'])
    expect(await lastCall()).toMatchObject({ cost_nanos: IMAGE_NANOS + delivered * PARTIAL_NANOS, images: 1 })
  })

  test('leaves out a partial image that does not decode, and does not charge it', async () => {
    upstream.answer(stream(partial(Buffer.from('none'), 0), partial(PNG, 1), completed(PNG)))
    const events = eventsIn(await (await call(GENERATIONS, bodyOf())).text())
    expect(events.map(({ partial_image_index }) => partial_image_index)).toEqual([0, undefined])
    expect(await lastCall()).toMatchObject({ cost_nanos: IMAGE_NANOS + PARTIAL_NANOS })
  })

  test('may come in any packets, with comments, other events, and [DONE] in between', async () => {
    const bytes = [partial(PNG, 0), completed(PNG)].map((step) => ('send' in Object(step) ? step : '')) as {
      send: string
    }[]
    const text = `: ping\n\ndata: {"type":"other"}\n\n${bytes.map(({ send }) => send).join('data: [DONE]\n\n')}`
    upstream.answer(stream(...Array.from({ length: 7 }, (_, index) => ({ send: slice(text, index, 7) }))))
    const events = eventsIn(await (await call(GENERATIONS, bodyOf())).text())
    expect(kindsOf(events)).toEqual(['partial_image', 'completed'])
  })

  test('stores only the final image', async () => {
    const before = generationsOf(scene).length
    const events = eventsIn(await (await call(GENERATIONS, bodyOf())).text())
    const added = generationsOf(scene).slice(before)
    expect(added).toMatchObject([{ uuid: events.at(-1)?.svc_generation_id, state: 'stored', format: 'png' }])
  })

  test('has headers with the upstream model, the rate, and the request id', async () => {
    const response = await call(GENERATIONS, bodyOf())
    await response.text()
    const { headers } = response
    expect(headers.get('content-type')).toBe('text/event-stream')
    expect(headers.get('x-tollgate-upstream-model')).toBe('gpt-image-1.5')
    expect(headers.get('x-ratelimit-limit-requests')).toBe('30')
    expect(headers.get('x-request-id')).toMatch(/^req_/)
    expect(headers.get('x-tollgate-dropped')).toBeNull()
  })

  test('may edit an earlier image, in JSON', async () => {
    upstream.answer(draws(PNG))
    const generation_id = await generated(gateway, scene.key)
    upstream.answer(stream(partial(PNG, 0, 'image_edit'), completed(PNG, 'image_edit')))
    const events = eventsIn(await (await call(EDITS, bodyOf({ generation_id }))).text())
    expect(events.map(({ type }) => type)).toEqual(['image_edit.partial_image', 'image_edit.completed'])
  })

  test('of two files in one form is an edit to the SDK, and a compose in the history', async () => {
    upstream.answer(stream(partial(PNG, 0, 'image_edit'), completed(PNG, 'image_edit')))
    const form = editForm({ model: PARTIAL, stream: 'true', partial_images: '1' })
    form.append('image[]', new File([JPEG], 'b.jpg'))
    const events = eventsIn(await (await postForm(gateway, scene.key, form)).text())
    expect(events.map(({ type }) => type)).toEqual(['image_edit.partial_image', 'image_edit.completed'])
    expect(generationsOf(scene).at(-1)).toMatchObject({ kind: 'compose' })
  })

  test('may come from the simulated provider, which needs no key', async () => {
    const response = await call(
      GENERATIONS,
      bodyOf({ model: SIMULATED_PARTIAL, partial_images: 3, size: '256x256' }),
    )
    const events = eventsIn(await response.text())
    expect(kindsOf(events)).toEqual(['partial_image', 'partial_image', 'partial_image', 'completed'])
    expect(new Set(events.map(({ b64_json }) => b64_json)).size).toBe(4)
    expect(await lastCall()).toMatchObject({ cost_nanos: IMAGE_NANOS + 3 * PARTIAL_NANOS })
  })
})

const slice = (text: string, index: number, parts: number): string =>
  text.slice(Math.floor((text.length * index) / parts), Math.floor((text.length * (index + 1)) / parts))

describe('partial images are not requested from the provider, and a header says so,', () => {
  beforeEach(() => upstream.answer(({ path }) => (path.includes('/images/') ? sends(PNG) : draws(PNG))))

  test.each([
    ['if they have no price', bodyOf({ model: OVER_OPENAI }), IMAGE_NANOS],
    ['if several images are requested', bodyOf({ n: 2 }), 2 * IMAGE_NANOS],
    ['if the protocol has none', bodyOf({ model: NEVER_PARTIAL }), IMAGE_NANOS],
    ['if the model has none', bodyOf({ model: OTHER_MAKER }), IMAGE_NANOS],
  ])('%s', async (_, body, max_nanos) => {
    const response = await call(GENERATIONS, body)
    expect(response.headers.get('x-tollgate-dropped')).toBe('partial_images')
    const events = eventsIn(await response.text())
    expect(upstreamBody()).not.toContainAnyKeys(['stream', 'partial_images'])
    expect(new Set(kindsOf(events))).toEqual(new Set(['completed']))
    const { cost_nanos, images } = await lastCall()
    expect([cost_nanos, images]).toEqual([events.length * IMAGE_NANOS, events.length])
    expect(cost_nanos).toBeLessThanOrEqual(max_nanos)
  })

  test.each([
    ['none are requested', bodyOf({ partial_images: 0 })],
    ['the field is missing', bodyOf({ partial_images: undefined })],
    ['the answer is not a stream', bodyOf({ stream: false })],
  ])('but not if %s', async (_, body) => {
    const response = await call(GENERATIONS, body)
    expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([200, null])
    expect(upstreamBody()).not.toContainAnyKeys(['stream', 'partial_images'])
    expect(await lastCall()).toMatchObject({ cost_nanos: IMAGE_NANOS, streamed: 0 })
  })

  test('and also if a server does not stream, or another route answers', async () => {
    const unstreamed = await call(GENERATIONS, bodyOf())
    upstream.answer(({ path }) => (path.includes('/images/') ? refuses(500, 'no') : draws(PNG)))
    const elsewhere = await call(GENERATIONS, bodyOf({ model: PARTIAL_OR_WHOLE }))
    for (const response of [unstreamed, elsewhere]) {
      expect(response.headers.get('x-tollgate-dropped')).toBe('partial_images')
      expect(kindsOf(eventsIn(await response.text()))).toEqual(['completed'])
      expect(await lastCall()).toMatchObject({ cost_nanos: IMAGE_NANOS, images: 1 })
    }
  })
})

describe('before the first event, as without a stream:', () => {
  const MODERATED = { code: 'moderation_blocked', message: 'Your request was rejected by the safety system.' }

  test.each([
    ['a refusal', refuses(400, { error: MODERATED }), 400, 'content_policy_violation'],
    ['a refusal as the first event', stream(failure(MODERATED)), 400, 'content_policy_violation'],
    ['a whole answer without an image', whole({ data: [] }), 400, 'no_image_generated'],
    ['a provider that fails', refuses(500, 'no'), 502, 'upstream_error'],
    [
      'an error as the first event',
      stream(failure({ type: 'server_error', message: 'x' })),
      502,
      'upstream_error',
    ],
    ['an empty stream', stream(), 502, 'upstream_error'],
    ['a broken stream', stream({ send: 'event: image_gen' }, 'reset'), 502, 'upstream_error'],
    ['a busy provider', refuses(429, '', { 'retry-after': '7' }), 429, 'rate_limit_exceeded'],
  ])('%s is answered with its status, and costs nothing', async (_, answer, status, code) => {
    upstream.answer(answer)
    const before = await storedIn(gateway)
    const response = await call(GENERATIONS, bodyOf(), { key: await gateway.caller() })
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    expect([response.status, error.code]).toEqual([status, code])
    expect(error.message).toContain('Nothing was charged')
    await gateway.rest()
    expect(await storedIn(gateway)).toEqual(before)
  })

  test.each([
    ['partial images', stream(partial(JPEG, 0), completed(PNG)), ['partial_image', 'completed']],
    ['a whole answer', sends(PNG), ['completed']],
  ])('%s may take longer than the first byte of a text', async (_, answer, kinds) => {
    upstream.answer(async () => {
      // The provider's first_byte_timeout_ms, which is 1.
      await Bun.sleep(20)
      return answer
    })
    const response = await call(GENERATIONS, bodyOf())
    expect(kindsOf(eventsIn(await response.text()))).toEqual(kinds)
  })

  test('an error as the first event makes the gateway try the next route', async () => {
    upstream.answer(({ path }) =>
      path.includes('/images/') ? stream(failure({ type: 'server_error', message: 'x' })) : draws(PNG),
    )
    const response = await call(GENERATIONS, bodyOf({ model: PARTIAL_OR_WHOLE }))
    expect(kindsOf(eventsIn(await response.text()))).toEqual(['completed'])
  })

  test('a balance that pays for the image, but not for its partial images, is refused without an upstream request', async () => {
    const before = upstream.requests.length
    const response = await call(GENERATIONS, bodyOf(), { key: await gateway.caller('0.057') })
    expect([response.status, upstream.requests.length]).toEqual([402, before])
    const paid = await call(GENERATIONS, bodyOf(), { key: await gateway.caller('0.058') })
    expect([paid.status, eventsIn(await paid.text()).at(-1)?.cost]).toEqual([200, '0.058'])
  })
})
