// Images billed by tokens: the hold, the charge of a usage report, and the estimate without a plausible one.
import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { formatUsd } from '../../src/domain/money.ts'
import { inline, USER } from '../pictures/support.ts'
import { PROVIDER } from '../support/catalogue.ts'
import { wholePath } from '../support/native.ts'
import { modelSection } from '../support/sections.ts'
import { type Answer, RESET, refusal, stream, whole } from '../support/upstream.ts'
import { eventsIn, failure, kindsOf, namedEvent, partial } from './partials-support.ts'
import { GENERATIONS, imagesIn, imagesScene, PNG } from './support.ts'

/** USD per million: text in 5 (cached 1.25), image in 8 (cached 2), image out 30. */
const PRICE = 'input = 5, cache_read = 1.25, image_input = 8, image_cache_read = 2, image_output = 30'
const BY_TOKENS = 'test-by-tokens'
const GEMINI_BY_TOKENS = 'test-gemini-by-tokens'
const DEPLOYED = 'test-deployed'
const UNKNOWN_DEPLOYED = 'test-unknown-deployed'
const MAX_TOKENS = 10_000
const SQUARE_TOKENS = 2_000

/** The estimate of the prompt below. */
const PROMPT_TOKENS = 3

const deployed = (id: string, generation: string) => `
[[models]]
id = "${id}"
kind = "image"
max_n_per_request = 4
routes = [{ provider = "openai-images", model = "our-pictures"${generation} }]
price = { ${PRICE} }
`

const { gateway, upstream, lastCall } = await imagesScene(
  deployed(DEPLOYED, ', generation = "gpt-image-2"') +
    deployed(UNKNOWN_DEPLOYED, '') +
    modelSection(
      GEMINI_BY_TOKENS,
      { [PROVIDER]: 'gemini-nano-banana-2.1' },
      { kind: 'image', price: 'input = 1.5, output = 7.5, image_output = 30' },
    ) +
    modelSection(
      BY_TOKENS,
      { 'openai-images': 'gpt-image-2.6-flare' },
      {
        kind: 'image',
        price: PRICE,
        more: `max_n_per_request = 4
qualities = ["xhigh", "max"]
max_tokens_per_image = ${MAX_TOKENS}
bounds = [{ size = "1024x1024", quality = "low", max_tokens_per_image = ${SQUARE_TOKENS} }]`,
      },
    ),
)

const b64_json = PNG.toString('base64')
const answers = (usage: object | undefined, images = 1): Answer =>
  whole({ created: 1, data: Array.from({ length: images }, () => ({ b64_json })), usage })
const request = (rest: object = {}) => ({ model: BY_TOKENS, prompt: 'a red house', ...rest })
const usage = (text: number, image: number, output: number, more: object = {}) => ({
  input_tokens: text + image,
  input_tokens_details: { text_tokens: text, image_tokens: image, ...more },
  output_tokens: output,
  output_tokens_details: { text_tokens: 0, image_tokens: output },
  total_tokens: text + image + output,
})

describe('a plausible usage report is charged', () => {
  test.each<[about: string, reported: object, cost_nanos: number]>([
    ['text in, image out', usage(20, 0, 1_000), 20 * 5_000 + 1_000 * 30_000],
    ['cached text', usage(20, 0, 1_000, { cached_tokens: 8 }), 12 * 5_000 + 8 * 1_250 + 1_000 * 30_000],
    [
      'without details of the output',
      { ...usage(20, 0, 1_000), output_tokens_details: undefined },
      20 * 5_000 + 1_000 * 30_000,
    ],
  ])('%s', async (_, reported, cost_nanos) => {
    upstream.answer(answers(reported))
    const key = await gateway.caller('10')
    const answer = await imagesIn(await gateway.call(GENERATIONS, request(), { key }))
    expect(answer.cost).toBe(formatUsd(cost_nanos))
    expect(answer.usage).toMatchObject({ images: 1, output_tokens: 1_000, total_tokens: 1_020 })
    expect(await lastCall()).toMatchObject({ cost_nanos, images: 1, estimated: 0 })
  })
})

describe('a deployment with a name of its own', () => {
  const FIELDS = { quality: 'high', output_format: 'webp', n: 2 }
  test.each<[model: string, sent: object, dropped: string | null]>([
    [DEPLOYED, { ...FIELDS, prompt: 'a red house', model: 'our-pictures' }, null],
    [
      UNKNOWN_DEPLOYED,
      { model: 'our-pictures', prompt: 'a red house', n: 1, response_format: 'b64_json' },
      'quality',
    ],
  ])('%s is sent %j; dropped: %s', async (model, sent, dropped) => {
    upstream.answer(answers(usage(20, 0, 1_000), Number('n' in sent && sent.n)))
    const key = await gateway.caller('10')
    const answer = await gateway.call(GENERATIONS, request({ model, ...FIELDS }), { key })
    expect([answer.status, answer.headers.get('x-tollgate-dropped')]).toEqual([200, dropped])
    expect(JSON.parse(String(upstream.last().body))).toEqual(sent)
  })

  test('quality auto is the default of a model, so it is not reported as dropped', async () => {
    upstream.answer(answers(usage(20, 0, 1_000)))
    const key = await gateway.caller('10')
    const answer = await gateway.call(GENERATIONS, request({ model: UNKNOWN_DEPLOYED, quality: 'auto' }), {
      key,
    })
    expect(answer.headers.get('x-tollgate-dropped')).toBeNull()
  })
})

describe('without a plausible usage report an image is charged by an estimate, and marked', () => {
  test.each<[about: string, reported: object | undefined, input_tokens: number]>([
    ['none', undefined, PROMPT_TOKENS],
    ['an image without output', usage(20, 0, 0), 20],
    ['zeros', usage(0, 0, 0), 0],
    ['more output than one image can have', usage(20, 0, MAX_TOKENS + 1), PROMPT_TOKENS],
    ['more input than was sent', usage(2_000_000, 0, 1_000), PROMPT_TOKENS],
    ['images that were not sent', usage(20, 5, 1_000), PROMPT_TOKENS],
    ['more cached tokens than input', usage(20, 0, 1_000, { cached_tokens: 21 }), PROMPT_TOKENS],
    ['negative', usage(20, 0, -5), PROMPT_TOKENS],
    ['values that are not numbers', { input_tokens: 'many', output_tokens: null }, PROMPT_TOKENS],
  ])('%s', async (_, reported, input_tokens) => {
    upstream.answer(answers(reported))
    const key = await gateway.caller('10')
    await imagesIn(await gateway.call(GENERATIONS, request(), { key }))
    const { hold_nanos, cost_nanos, ...call } = await lastCall()
    expect(call).toMatchObject({ input_tokens, output_image_tokens: 1_290, estimated: 1 })
    expect(cost_nanos).toBe(input_tokens * 5_000 + 1_290 * 30_000)
    expect(hold_nanos).toBeGreaterThanOrEqual(cost_nanos)
  })

  test('the estimate is the bound of the size and quality if they have one', async () => {
    upstream.answer(answers(undefined))
    const key = await gateway.caller('10')
    const fields = { size: '1024x1024', quality: 'low' }
    await imagesIn(await gateway.call(GENERATIONS, request(fields), { key }))
    expect(await lastCall()).toMatchObject({ output_image_tokens: SQUARE_TOKENS, estimated: 1 })
  })
})

describe('the hold', () => {
  const outputNanos = (tokens: number) => tokens * 30_000
  test.each<[about: string, fields: object, min_nanos: number]>([
    ['for one image', {}, outputNanos(MAX_TOKENS)],
    ['for each image', { n: 3 }, outputNanos(3 * MAX_TOKENS)],
    ['for the size and quality', { size: '1024x1024', quality: 'low' }, outputNanos(SQUARE_TOKENS)],
    ['for another quality', { size: '1024x1024', quality: 'xhigh' }, outputNanos(MAX_TOKENS)],
  ])('%s', async (_, fields, min_nanos) => {
    const key = await gateway.caller('10')
    let held_nanos = 0
    upstream.answer(() => {
      held_nanos = gateway.rows().accounts.at(-1)?.held_nanos ?? 0
      return answers(usage(20, 0, 1_000), 1)
    })
    await imagesIn(await gateway.call(GENERATIONS, request(fields), { key }))
    expect(held_nanos).toBeGreaterThanOrEqual(min_nanos)
    expect(held_nanos).toBeLessThan(min_nanos + 0.02 * 1e9)
  })

  test('is refused with 402 before the upstream request if the balance is too low', async () => {
    const key = await gateway.caller('0.01')
    let upstream_calls = 0
    upstream.answer(() => {
      upstream_calls += 1
      return answers(undefined)
    })
    expect((await gateway.call(GENERATIONS, request(), { key })).status).toBe(402)
    expect(upstream_calls).toBe(0)
  })
})

describe('another number of images than requested', () => {
  const undecodable = Buffer.from('no image').toString('base64')
  test.each<[about: string, images: string[], output_tokens: number]>([
    ['two instead of three: the whole report', [b64_json, b64_json], 2_000],
    ['one of two does not decode: half of the output', [b64_json, undecodable], 1_000],
    ['five instead of three: three fifths of the output', Array(5).fill(b64_json), 1_200],
  ])('%s', async (_, images, output_tokens) => {
    upstream.answer(
      whole({ created: 1, data: images.map((one) => ({ b64_json: one })), usage: usage(60, 0, 2_000) }),
    )
    const key = await gateway.caller('10')
    const answer = await imagesIn(await gateway.call(GENERATIONS, request({ n: 3 }), { key }))
    const cost_nanos = 60 * 5_000 + output_tokens * 30_000
    expect(answer).toMatchObject({ cost: formatUsd(cost_nanos), usage: { output_tokens } })
    expect(answer.data).toHaveLength(Math.min(3, images.filter((one) => one === b64_json).length))
    expect(await lastCall()).toMatchObject({ cost_nanos, images: answer.data.length })
    expect(gateway.rows().accounts.at(-1)).toMatchObject({
      held_nanos: 0,
      balance_nanos: 10_000_000_000 - cost_nanos,
    })
  })
})

describe('a stream with partial images', () => {
  const REPORTED = { input_tokens: 20, input_tokens_details: { text_tokens: 20, image_tokens: 0 } }
  const streamed = async (usage: object | undefined, partials: number, requested = partials) => {
    const image = { b64_json, size: '48x32', quality: 'auto', background: 'auto', output_format: 'png' }
    upstream.answer(
      stream(
        ...Array.from({ length: partials }, (_, index) => partial(PNG, index)),
        namedEvent('image_generation.completed', { ...image, usage }),
      ),
    )
    const key = await gateway.caller('10')
    const body = request({ stream: true, partial_images: requested })
    return eventsIn(await (await gateway.call(GENERATIONS, body, { key })).text())
  }

  test.each<[about: string, output_tokens: number, partials: number, requested: number]>([
    ['no partial images', 1_000, 0, 2],
    ['two partial images', 1_200, 2, 2],
    ['output up to the bound', MAX_TOKENS + 300, 3, 3],
    ['fewer partial images than the report includes', MAX_TOKENS + 300, 1, 3],
  ])('%s: charged as reported, partial images included', async (_, output_tokens, partials, requested) => {
    const events = await streamed({ ...REPORTED, output_tokens }, partials, requested)
    expect(kindsOf(events)).toEqual([...Array(partials).fill('partial_image'), 'completed'])
    const cost_nanos = 20 * 5_000 + output_tokens * 30_000
    expect(events.at(-1)).toMatchObject({
      cost: formatUsd(cost_nanos),
      usage: { images: 1, input_tokens: 20, output_tokens, total_tokens: 20 + output_tokens },
    })
    const { hold_nanos, ...call } = await lastCall()
    expect(call).toMatchObject({ cost_nanos, images: 1, estimated: 0, streamed: 1 })
    expect(hold_nanos).toBeGreaterThanOrEqual(cost_nanos)
  })

  test.each<[about: string, usage: object | undefined]>([
    ['without a usage', undefined],
    ['with more output than possible', { ...REPORTED, output_tokens: MAX_TOKENS + 201 }],
  ])('%s: an image and 100 tokens for each partial image, estimated', async (_, usage) => {
    await streamed(usage, 2)
    expect(await lastCall()).toMatchObject({
      cost_nanos: PROMPT_TOKENS * 5_000 + (1_290 + 200) * 30_000,
      output_image_tokens: 1_490,
      estimated: 1,
    })
  })

  test.each([
    [1, 1_000],
    [3, 1_000],
    [2, MAX_TOKENS],
  ])('a whole answer with %d images of %d tokens each: only one image is charged', async (sent, each) => {
    upstream.answer(answers(usage(20, 0, sent * each), sent))
    const key = await gateway.caller('10')
    const body = request({ stream: true, partial_images: 2 })
    const response = await gateway.call(GENERATIONS, body, { key })
    expect(response.headers.get('x-tollgate-dropped')).toBe('partial_images')
    expect(kindsOf(eventsIn(await response.text()))).toEqual(['completed'])
    expect(await lastCall()).toMatchObject({
      cost_nanos: 20 * 5_000 + each * 30_000,
      images: 1,
      estimated: 0,
    })
  })

  test('an interruption after a partial image costs the prompt and 100 tokens, estimated; before it, nothing', async () => {
    const key = await gateway.caller('10')
    const body = request({ stream: true, partial_images: 2 })
    upstream.answer(stream(partial(PNG, 0), failure({ message: 'broken', code: 'server_error' })))
    const events = eventsIn(await (await gateway.call(GENERATIONS, body, { key })).text())
    expect(kindsOf(events)).toEqual(['partial_image', 'error'])
    const cost_nanos = PROMPT_TOKENS * 5_000 + 100 * 30_000
    expect(await lastCall()).toMatchObject({ outcome: 'broken', cost_nanos, images: 0, estimated: 1 })
    upstream.answer(stream(failure({ message: 'broken', code: 'server_error' })))
    await (await gateway.call(GENERATIONS, body, { key })).text()
    expect(await lastCall()).toMatchObject({ cost_nanos: 0, images: 0 })
    expect(gateway.rows().accounts.at(-1)).toMatchObject({
      held_nanos: 0,
      balance_nanos: 10_000_000_000 - cost_nanos,
    })
  })
})

describe('a Gemini model', () => {
  const IMAGE = [{ modality: 'IMAGE', tokenCount: 1_120 }]
  const draws = (usageMetadata: object): Answer =>
    whole({
      candidates: [{ content: { parts: [{ text: 'Here.' }, inline(PNG)] }, finishReason: 'STOP' }],
      usageMetadata,
    })
  // USD per million: 1.50 in, 7.50 text and thoughts out, 30 image out.
  const REPORT = { promptTokenCount: 12, candidatesTokenCount: 1_248, thoughtsTokenCount: 153 }
  const COST_NANOS = 12 * 1_500 + (128 + 153) * 7_500 + 1_120 * 30_000

  test.each<[surface: string, path: string, body: object]>([
    ['generations', GENERATIONS, { model: GEMINI_BY_TOKENS, prompt: 'a red house' }],
    [
      'chat',
      '/v1/chat/completions',
      { model: GEMINI_BY_TOKENS, messages: [{ role: 'user', content: 'a house' }] },
    ],
    ['native', wholePath(GEMINI_BY_TOKENS), { contents: [USER({ text: 'a house' })] }],
  ])('%s: text, thoughts and image, each at its rate', async (_, path, body) => {
    upstream.answer(draws({ ...REPORT, candidatesTokensDetails: IMAGE }))
    const key = await gateway.caller('10')
    const answer = await gateway.call(path, body, { key })
    expect(answer.status).toBe(200)
    expect(await lastCall()).toMatchObject({
      cost_nanos: COST_NANOS,
      input_tokens: 12,
      output_tokens: 128,
      thinking_tokens: 153,
      output_image_tokens: 1_120,
      estimated: 0,
    })
  })

  test('without details of the output: all of it counts as image tokens, estimated', async () => {
    upstream.answer(draws(REPORT))
    const key = await gateway.caller('10')
    await imagesIn(await gateway.call(GENERATIONS, request({ model: GEMINI_BY_TOKENS }), { key }))
    expect(await lastCall()).toMatchObject({
      cost_nanos: 12 * 1_500 + (1_248 + 153) * 30_000,
      output_image_tokens: 1_401,
      estimated: 1,
    })
  })
})

describe('failures after the hold', () => {
  test.each<[about: string, answer: Answer]>([
    ['a server error', refusal(500)],
    ['a connection that is reset', RESET],
    [
      'an image that does not decode',
      whole({ created: 1, data: [{ b64_json: 'AAAA' }], usage: usage(20, 0, 9) }),
    ],
  ])('%s: is free, whatever was reported, and can be tried again under the same key', async (_, answer) => {
    const key = await gateway.caller('10')
    const ask = () => gateway.call(GENERATIONS, request(), { key, headers: { 'idempotency-key': 'again' } })
    upstream.answer(answer)
    expect((await ask()).status).toBe(502)
    await gateway.rest()
    expect(gateway.rows().accounts.at(-1)).toMatchObject({ held_nanos: 0, balance_nanos: 10_000_000_000 })
    upstream.answer(answers(usage(20, 0, 1_000)))
    await imagesIn(await ask())
    expect(await lastCall()).toMatchObject({ cost_nanos: 20 * 5_000 + 1_000 * 30_000 })
  })

  test('no image in the answer: is free, whatever was reported', async () => {
    upstream.answer(whole({ created: 1, data: [], usage: usage(20, 0, 1_000) }))
    const key = await gateway.caller('10')
    const answer = await gateway.call(GENERATIONS, request(), { key })
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { code: 'no_image_generated' } },
    ])
    expect(await lastCall()).toMatchObject({ cost_nanos: 0, images: 0 })
    expect(gateway.rows().accounts.at(-1)).toMatchObject({ held_nanos: 0, balance_nanos: 10_000_000_000 })
  })

  test('the same request under one key: one charge, and the same answer with its usage', async () => {
    const key = await gateway.caller('10')
    const ask = () => gateway.call(GENERATIONS, request(), { key, headers: { 'idempotency-key': 'once' } })
    upstream.answer(answers(usage(20, 0, 1_000)))
    const first = await imagesIn(await ask())
    // The provider would report more the second time.
    upstream.answer(answers(usage(20, 0, 2_000)))
    const again = await ask()
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await imagesIn(again)).toEqual(first)
    expect((await gateway.atRest()).accounts.at(-1)?.balance_nanos).toBe(
      10_000_000_000 - 20 * 5_000 - 1_000 * 30_000,
    )
  })
})

test('a refusal of the provider is free', async () => {
  const message = 'Your request was rejected by the safety system.'
  upstream.answer(
    refusal(400, { error: { message, type: 'image_generation_user_error', code: 'moderation_blocked' } }),
  )
  const key = await gateway.caller('10')
  expect((await gateway.call(GENERATIONS, request(), { key })).status).toBe(400)
  expect(gateway.rows().accounts.at(-1)).toMatchObject({ held_nanos: 0, balance_nanos: 10_000_000_000 })
})

test("OpenAI's SDK reads the usage, and requests the new qualities", async () => {
  upstream.answer(answers(usage(20, 0, 1_000)))
  const apiKey = await gateway.caller('10')
  const openai = new OpenAI({ apiKey, baseURL: `${gateway.url.origin}/v1`, maxRetries: 0 })
  const made = await openai.images.generate({ ...request(), quality: 'xhigh' })
  expect(made.usage).toMatchObject({
    input_tokens: 20,
    input_tokens_details: { text_tokens: 20, image_tokens: 0 },
    output_tokens: 1_000,
    output_tokens_details: { text_tokens: 0, image_tokens: 1_000 },
    total_tokens: 1_020,
  })
  expect(JSON.parse(upstream.last().body.toString())).toMatchObject({ quality: 'xhigh' })
})
