// Images by their tokens: the cost of real usages, charges for incomplete reports, and no charge above its hold.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ReportedImageTokens } from '../../../src/domain/image-tokens.ts'
import { parseUsd } from '../../../src/domain/money.ts'
import { inFull } from '../../../src/domain/usage.ts'
import {
  type AnsweredImages,
  billImageTokens,
  chargeImageTokens,
  type ImageRequestTokens,
  quoteImageTokens,
  sumImageTokens,
} from '../../../src/money/pricing/image-tokens.ts'
import { decodeImageAnswer as decodeGemini } from '../../../src/protocols/gemini/images.ts'
import { readImageUsage } from '../../../src/protocols/openai/images.ts'
import type { JsonObject } from '../../../src/protocols/wire/json.ts'
import { anyImageTokenPrice, imageTokenPrice } from './prices.ts'

/** USD per million tokens. https://developers.openai.com/api/docs/models/gpt-image-2.6-sunburst */
const GPT_IMAGE = imageTokenPrice({
  input: 5,
  cache_read: 1.25,
  image_input: 8,
  image_cache_read: 2,
  image_output: 30,
})
/** https://ngrok.com/changelog/ai-gateway-gemini-image-output: gemini-nano-banana-2.1 */
const NANO_BANANA = imageTokenPrice({ input: 1.5, output: 7.5, image_output: 30 })
/** https://ai.google.dev/gemini-api/docs/pricing: gemini-3-pro-image */
const PRO_IMAGE = imageTokenPrice({ input: 2, output: 12, image_output: 120 })

const requestOf = (more: Partial<ImageRequestTokens> = {}): ImageRequestTokens => ({
  count: 1,
  prompt: { bound_tokens: 1_000, estimated_tokens: 20 },
  references: 0,
  reference_tokens: { most: 8_192, usual: 1_600 },
  partial_images: 0,
  max_tokens_per_image: 16_384,
  is_of_shape: false,
  ...more,
})
const answered = (
  reported: ReportedImageTokens | undefined,
  more: Partial<ImageRequestTokens> = {},
): AnsweredImages => ({ request: requestOf(more), reported, sent: 1, kept: 1, partial_images: 0 })

const openai = (usage: JsonObject) => readImageUsage({ usage })
const gemini = (usageMetadata: JsonObject): ReportedImageTokens | undefined => {
  const parts = [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }]
  const answer = decodeGemini({ candidates: [{ content: { parts } }], usageMetadata })
  return 'images' in answer ? answer.usage : undefined
}
const image = (tokenCount: number) => [{ modality: 'IMAGE', tokenCount }]

describe('publicly recorded usages are charged right at list prices', () => {
  const details = { image_tokens: 40, text_tokens: 10 }
  test.each<
    [of: string, price: typeof GPT_IMAGE, references: number, ReportedImageTokens | undefined, string]
  >([
    [
      'the example of OpenAI’s API reference, an edit',
      GPT_IMAGE,
      1,
      openai({ total_tokens: 100, input_tokens: 50, output_tokens: 50, input_tokens_details: details }),
      '0.00187', // 10 x 5 + 40 x 8 + 50 x 30
    ],
    [
      'gpt-image: its output is reported with reasoning, and without images',
      GPT_IMAGE,
      0,
      openai({
        input_tokens: 15,
        output_tokens: 1_352,
        total_tokens: 1_367,
        input_tokens_details: { image_tokens: 0, text_tokens: 15 },
        output_tokens_details: { reasoning_tokens: 50 },
      }),
      '0.040635', // 15 x 5 + 1,352 x 30
    ],
    [
      'gpt-image-2.5, an edit: its text is the rest of the input',
      GPT_IMAGE,
      1,
      openai({
        input_tokens: 1_550,
        input_tokens_details: { image_tokens: 1_521 },
        output_tokens: 515,
        output_tokens_details: { image_tokens: 515 },
      }),
      '0.027763', // 29 x 5 + 1,521 x 8 + 515 x 30
    ],
    [
      'gpt-image, cached text and images',
      GPT_IMAGE,
      1,
      openai({
        input_tokens: 100,
        input_tokens_details: {
          image_tokens: 80,
          cached_tokens: 50,
          cached_tokens_details: { image_tokens: 40, text_tokens: 10 },
        },
        output_tokens: 200,
      }),
      '0.0064625', // 10 x 5 + 40 x 8 + 10 x 1.25 + 40 x 2 + 200 x 30
    ],
    [
      'gemini: 295 tokens of its output are text',
      NANO_BANANA,
      0,
      gemini({
        promptTokenCount: 402,
        candidatesTokenCount: 1_415,
        candidatesTokensDetails: image(1_120),
        totalTokenCount: 1_817,
      }),
      '0.0364155', // 402 x 1.5 + 295 x 7.5 + 1,120 x 30
    ],
    [
      'gemini, with thoughts',
      NANO_BANANA,
      0,
      gemini({
        promptTokenCount: 402,
        candidatesTokenCount: 1_248,
        thoughtsTokenCount: 153,
        candidatesTokensDetails: image(1_120),
        totalTokenCount: 1_803,
      }),
      '0.0363105', // 402 x 1.5 + (128 + 153) x 7.5 + 1,120 x 30
    ],
    [
      'gemini, an edit: images in at the rate of text',
      NANO_BANANA,
      3,
      gemini({
        promptTokenCount: 2_450,
        candidatesTokenCount: 1_120,
        thoughtsTokenCount: 321,
        totalTokenCount: 3_891,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 770 }, ...image(1_680)],
        candidatesTokensDetails: image(1_120),
      }),
      '0.0396825', // 2,450 x 1.5 + 321 x 7.5 + 1,120 x 30
    ],
    [
      'gemini-3-pro-image',
      PRO_IMAGE,
      0,
      gemini({
        promptTokenCount: 10,
        candidatesTokenCount: 1_223,
        candidatesTokensDetails: image(1_120),
        thoughtsTokenCount: 106,
      }),
      '0.136928', // 10 x 2 + (103 + 106) x 12 + 1,120 x 120
    ],
  ])('%s', (_, price, references, reported, usd) => {
    const { tokens, estimated, doubt } = billImageTokens(answered(reported, { references }))
    expect([estimated, doubt]).toEqual([false, undefined])
    expect(chargeImageTokens(price, tokens).cost_nanos).toBe(parseUsd(usd))
  })
})

describe('an incomplete report is completed, and marked as estimated, without', () => {
  test.each<[lacks: string, reported: ReportedImageTokens | undefined, references: number, usd: string]>([
    // 20 tokens of the prompt, 1,290 of an image.
    ['any count', undefined, 0, '0.0388'],
    ['its input', openai({ output_tokens: 1_000 }), 0, '0.0301'],
    ['its output', openai({ input_tokens: 50 }), 0, '0.03895'],
    ['its output, which is 0', openai({ input_tokens: 50, output_tokens: 0 }), 0, '0.03895'],
    // 1,600 of an image that is read.
    ['any count, for an edit', undefined, 1, '0.0516'],
    ['the images of its input', openai({ input_tokens: 520, output_tokens: 1_000 }), 1, '0.0341'],
    [
      'the images of its output: all of it are images',
      gemini({ promptTokenCount: 50, candidatesTokenCount: 1_716 }),
      0,
      '0.05173',
    ],
    [
      'the images of its output, which is less than an image has',
      gemini({ promptTokenCount: 50, candidatesTokenCount: 16, thoughtsTokenCount: 7 }),
      0,
      '0.03895',
    ],
  ])('%s', (_, reported, references, usd) => {
    const { tokens, estimated, doubt } = billImageTokens(answered(reported, { references }))
    expect([estimated, doubt]).toEqual([true, undefined])
    expect(chargeImageTokens(GPT_IMAGE, tokens).cost_nanos).toBe(parseUsd(usd))
  })
})

describe('an impossible report is estimated', () => {
  const report = (input_tokens: number, output_tokens: number, details: JsonObject = {}) =>
    openai({ input_tokens, output_tokens, input_tokens_details: details })
  test.each<[what: string, reported: ReportedImageTokens | undefined, doubt: string]>([
    ['more cached than read', report(20, 100, { cached_tokens: 21 }), 'it contradicts itself'],
    ['more images than input', report(20, 100, { image_tokens: 21 }), 'it contradicts itself'],
    ['less than nothing', report(20, -1), 'it contradicts itself'],
    [
      'images that were not sent',
      report(20, 100, { image_tokens: 5 }),
      'it counts images that were not sent',
    ],
    ['more input than fits', report(1_257, 100), 'its input is larger than possible'],
    ['more output than an image has', report(20, 16_385), 'its output is larger than possible'],
  ])('%s', (_, reported, doubt) => {
    expect(billImageTokens(answered(reported))).toMatchObject({ doubt, estimated: true })
  })

  test('not if it is at its bounds', () => {
    expect(billImageTokens(answered(report(1_256, 16_384)))).toMatchObject({ estimated: false })
  })

  test('requested partial images may have tokens, even if none was sent', () => {
    const reported = report(20, 16_384 + 300)
    expect(billImageTokens(answered(reported, { partial_images: 3 }))).toMatchObject({ estimated: false })
    expect(billImageTokens(answered(reported, { partial_images: 2 }))).toMatchObject({ estimated: true })
  })
})

test.each<[sent: number, kept: number, tokens: object]>([
  [2, 2, { output_tokens: 7, output_image_tokens: 1_001 }],
  [2, 1, { output_tokens: 3, output_image_tokens: 501 }],
  [3, 1, { output_tokens: 2, output_image_tokens: 334 }],
])('of %d received images %d are kept, and charged their part, rounded up', (sent, kept, tokens) => {
  const reported = openai({
    input_tokens: 20,
    output_tokens: 1_008,
    output_tokens_details: { text_tokens: 7 },
  })
  const { usage } = billImageTokens({ ...answered(reported, { count: 3 }), sent, kept }).tokens
  expect(usage).toMatchObject({ input_tokens: 20, ...tokens })
})

describe('any entry, any report', () => {
  const anyRequest: fc.Arbitrary<ImageRequestTokens> = fc
    .record({
      count: fc.integer({ min: 1, max: 4 }),
      estimated_tokens: fc.integer({ min: 1, max: 3_000 }),
      above: fc.integer({ min: 0, max: 300 }),
      references: fc.integer({ min: 0, max: 3 }),
      reference_tokens: fc.constant({ most: 8_192, usual: 1_600 }),
      partial_images: fc.integer({ min: 0, max: 3 }),
      max_tokens_per_image: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20_000 })),
      is_of_shape: fc.boolean(),
    })
    // Only a request for one image has partial images.
    .map(({ estimated_tokens, above, partial_images, ...rest }) => ({
      ...rest,
      partial_images: rest.count === 1 ? partial_images : 0,
      prompt: { estimated_tokens, bound_tokens: estimated_tokens + above },
    }))

  /** Tokens up to a bound, often at it, sometimes beyond; cut into parts. */
  const upTo = (most: number) =>
    fc.oneof(
      fc.constant(most),
      fc.integer({ min: 0, max: most }),
      fc.constantFrom(most + 1, 3 * most, -1, Number.NaN),
    )
  const parts = fc.record({ one: fc.nat(100), other: fc.nat(100) }).map(({ one, other }) => ({
    one: Math.min(one, other) / 100,
    other: Math.max(one, other) / 100,
  }))
  const anyReport = (
    request: ImageRequestTokens,
    sent: number,
  ): fc.Arbitrary<ReportedImageTokens | undefined> => {
    const { count, prompt, references, max_tokens_per_image, partial_images } = request
    const input = upTo(count * (prompt.bound_tokens + 256 + references * 8_320))
    const output = upTo(Math.max(count, sent) * max_tokens_per_image + 100 * partial_images)
    const report = fc.record({ input, output, read: parts, images: parts, written: parts, lacks: fc.nat(9) })
    return fc.option(
      report.map(({ input, output, read, images, written, lacks }) => {
        const cached = Math.floor(input * read.one)
        const text = Math.floor(output * written.one)
        const thinking_tokens = Math.floor(output * written.other) - text
        const of_images = lacks === 0 ? undefined : Math.floor((input - cached) * images.one)
        return {
          usage: {
            input_tokens: lacks === 1 ? undefined : input - cached,
            cache_read_tokens: cached,
            output_tokens: lacks === 2 ? undefined : text,
            thinking_tokens,
            output_image_tokens: lacks === 3 ? 0 : output - text - thinking_tokens,
          },
          image_input_tokens: references === 0 && lacks !== 4 ? 0 : of_images,
          image_cache_read_tokens: references === 0 ? 0 : Math.floor(cached * images.other),
        }
      }),
      { nil: undefined, freq: 8 },
    )
  }

  const anyAnswer = (request: ImageRequestTokens): fc.Arbitrary<AnsweredImages> =>
    fc
      .record({
        sent: fc.integer({ min: 1, max: 4 }),
        kept: fc.integer({ min: 1, max: 4 }),
        partials: fc.nat(3),
      })
      .chain(({ sent, kept, partials }) =>
        anyReport(request, sent).map((reported) => ({
          request,
          reported,
          sent,
          kept: Math.min(kept, sent),
          partial_images: Math.min(partials, request.partial_images),
        })),
      )
  /** One request for all images, or one for each; no more images are kept than were requested. */
  const anyCall = anyRequest.chain((whole) =>
    fc
      .boolean()
      .chain((together) =>
        together
          ? fc.tuple(anyAnswer(whole))
          : fc.array(anyAnswer({ ...whole, count: 1 }), { minLength: 1, maxLength: whole.count }),
      )
      .map((answers) => {
        let left = whole.count
        const kept = answers.map((one) => {
          const kept = Math.min(one.kept, left)
          left -= kept
          return { ...one, kept }
        })
        return { whole, answers: kept.filter(({ kept }) => kept > 0) }
      }),
  )

  test('no charge is above its hold', () => {
    let accepted = 0
    fc.assert(
      fc.property(anyImageTokenPrice, anyCall, (price, { whole, answers }) => {
        const held = quoteImageTokens(price, whole).ceiling_nanos
        const billed = answers.map(billImageTokens)
        const { cost_nanos } = chargeImageTokens(price, sumImageTokens(billed.map(({ tokens }) => tokens)))
        if (billed.every(({ estimated }) => !estimated)) accepted++
        expect(cost_nanos).toBeLessThanOrEqual(held)
      }),
      { numRuns: 3_000 },
    )
    expect(accepted).toBeGreaterThan(300)
  })

  test('a complete and possible report is billed as it is', () => {
    let accepted = 0
    const anyOne = anyRequest.chain((request) =>
      anyReport(request, 1).map((reported) => ({ request, reported })),
    )
    fc.assert(
      fc.property(anyOne, ({ request, reported }) => {
        const { tokens, estimated } = billImageTokens({ ...answered(reported), request })
        if (estimated || !reported) return
        accepted++
        expect(tokens.usage).toEqual(inFull(reported.usage))
      }),
    )
    expect(accepted).toBeGreaterThan(10)
  })
})
