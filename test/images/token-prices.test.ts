// Images that are billed by tokens: what is held, what a provider's report costs, and what is charged where there is none that can be believed.
import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { formatUsd } from '../../src/domain/money.ts'
import { modelSection } from '../support/sections.ts'
import { type Answer, refusal, whole } from '../support/upstream.ts'
import { GENERATIONS, imagesIn, imagesScene, PNG } from './support.ts'

/** USD per million: text in 5 (cached 1.25), image in 8 (cached 2), image out 30. */
const PRICE = 'input = 5, cache_read = 1.25, image_input = 8, image_cache_read = 2, image_output = 30'
const BY_TOKENS = 'test-by-tokens'
const MOST_TOKENS = 10_000
const SQUARE_TOKENS = 2_000

const { gateway, upstream, lastCall } = await imagesScene(
  modelSection(
    BY_TOKENS,
    { 'openai-images': 'gpt-image-2.6-flare' },
    {
      kind: 'image',
      price: PRICE,
      more: `max_n_per_request = 4
qualities = ["xhigh", "max"]
max_tokens_per_image = ${MOST_TOKENS}
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

describe('a report that can be believed is the charge', () => {
  test.each<[about: string, reported: object, cost_nanos: number]>([
    ['text in, image out', usage(20, 0, 1_000), 20 * 5_000 + 1_000 * 30_000],
    ['cached text', usage(20, 0, 1_000, { cached_tokens: 8 }), 12 * 5_000 + 8 * 1_250 + 1_000 * 30_000],
    [
      'without details of what was written',
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

describe('a report that cannot be believed, or none: an estimate, and marked', () => {
  test.each<[about: string, reported: object | undefined]>([
    ['none', undefined],
    ['zeros', usage(0, 0, 0)],
    ['more than one image has', usage(20, 0, MOST_TOKENS + 1)],
    ['more input than was sent', usage(2_000_000, 0, 1_000)],
    ['cached more than read', usage(20, 0, 1_000, { cached_tokens: 21 })],
    ['negative', usage(20, 0, -5)],
  ])('%s', async (_, reported) => {
    upstream.answer(answers(reported))
    const key = await gateway.caller('10')
    await imagesIn(await gateway.call(GENERATIONS, request(), { key }))
    const { cost_nanos, estimated } = await lastCall()
    expect(Boolean(estimated)).toBe(true)
    expect(cost_nanos).toBeGreaterThan(1_000 * 30_000)
    expect(cost_nanos).toBeLessThan(MOST_TOKENS * 30_000)
  })
})

describe('what is held', () => {
  const held = (tokens: number) => tokens * 30_000
  test.each<[about: string, fields: object, least: number]>([
    ['the most of an image', {}, held(MOST_TOKENS)],
    ['of each image', { n: 3 }, held(3 * MOST_TOKENS)],
    ['of the size and quality', { size: '1024x1024', quality: 'low' }, held(SQUARE_TOKENS)],
    ['of another quality', { size: '1024x1024', quality: 'xhigh' }, held(MOST_TOKENS)],
  ])('%s', async (_, fields, least) => {
    const key = await gateway.caller('10')
    let held_nanos = 0
    upstream.answer(() => {
      held_nanos = gateway.rows().accounts.at(-1)?.held_nanos ?? 0
      return answers(usage(20, 0, 1_000), 1)
    })
    await imagesIn(await gateway.call(GENERATIONS, request(fields), { key }))
    expect(held_nanos).toBeGreaterThanOrEqual(least)
    expect(held_nanos).toBeLessThan(least + 0.02 * 1e9)
  })

  test('a balance that is too low is 402 before the provider is asked', async () => {
    const key = await gateway.caller('0.01')
    let asked = 0
    upstream.answer(() => {
      asked += 1
      return answers(undefined)
    })
    expect((await gateway.call(GENERATIONS, request(), { key })).status).toBe(402)
    expect(asked).toBe(0)
  })
})

test('fewer images than asked for: those that came, by their tokens', async () => {
  upstream.answer(answers(usage(60, 0, 2_000), 2))
  const key = await gateway.caller('10')
  const answer = await imagesIn(await gateway.call(GENERATIONS, request({ n: 3 }), { key }))
  expect(answer.data.length).toBeGreaterThanOrEqual(2)
})

test("a refusal of the provider's is free", async () => {
  const message = 'Your request was rejected by the safety system.'
  upstream.answer(
    refusal(400, { error: { message, type: 'image_generation_user_error', code: 'moderation_blocked' } }),
  )
  const key = await gateway.caller('10')
  expect((await gateway.call(GENERATIONS, request(), { key })).status).toBe(400)
  expect(gateway.rows().accounts.at(-1)).toMatchObject({ held_nanos: 0, balance_nanos: 10_000_000_000 })
})

test("OpenAI's SDK reads the usage, and asks for the new qualities", async () => {
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
