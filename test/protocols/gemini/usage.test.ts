// Usage of Gemini (silent.md, "Usage that is billed").
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { inFull, NO_USAGE, type ReportedUsage, totalTokens, type Usage } from '../../../src/domain/usage.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import type { Json, JsonObject } from '../../../src/protocols/wire/json.ts'
import { events } from './recordings.ts'

const reportOf = (usageMetadata: Json): ReportedUsage | undefined => gemini.text.readUsage({ usageMetadata })
const usageOf = (usageMetadata: Json): Usage | undefined => inFull(reportOf(usageMetadata))

describe('usageMetadata becomes a Usage', () => {
  const cases: [string, JsonObject, Partial<Usage>][] = [
    ['promptTokenCount is input', { promptTokenCount: 12 }, { input_tokens: 12 }],
    ['candidatesTokenCount is output', { candidatesTokenCount: 7 }, { output_tokens: 7 }],
    ['thoughtsTokenCount is thinking', { thoughtsTokenCount: 31 }, { thinking_tokens: 31 }],
    [
      'cached tokens are inside promptTokenCount, and leave the input',
      { promptTokenCount: 1000, cachedContentTokenCount: 900 },
      { input_tokens: 100, cache_read_tokens: 900 },
    ],
    [
      'toolUsePromptTokenCount comes on top of promptTokenCount',
      { promptTokenCount: 10, toolUsePromptTokenCount: 5 },
      { input_tokens: 15 },
    ],
    [
      'promptTokensDetails of images are input at the same price',
      { promptTokenCount: 268, promptTokensDetails: [{ modality: 'IMAGE', tokenCount: 258 }] },
      { input_tokens: 268 },
    ],
    [
      'audio has a rate of its own',
      { promptTokenCount: 100, promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 64 }] },
      { input_tokens: 36, input_audio_tokens: 64 },
    ],
    [
      'audio that was cached is priced as cached',
      {
        promptTokenCount: 100,
        cachedContentTokenCount: 40,
        promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 64 }],
        cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 40 }],
      },
      { input_tokens: 36, input_audio_tokens: 24, cache_read_tokens: 40 },
    ],
    [
      'image output is inside candidatesTokenCount, and leaves the output',
      { candidatesTokenCount: 1308, candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }] },
      { output_tokens: 18, output_image_tokens: 1290 },
    ],
    ['a count of zero is zero', { promptTokenCount: 0 }, {}],
    [
      'a count in a string, as int64 is written in JSON',
      { promptTokenCount: '12', candidatesTokenCount: '3' },
      { input_tokens: 12, output_tokens: 3 },
    ],
    [
      'audio counts as cached first if the cache has no details',
      {
        promptTokenCount: 100,
        cachedContentTokenCount: 90,
        promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 64 }],
      },
      { input_audio_tokens: 10, cache_read_tokens: 90 },
    ],
  ]
  test.each(cases)('%s', (_name, meta, expected) => {
    expect(usageOf(meta)).toEqual({ ...NO_USAGE, ...expected })
  })
})

describe('a missing count is computed from the reported ones', () => {
  test.each<[string, JsonObject, ReportedUsage]>([
    [
      'the prompt',
      { candidatesTokenCount: 800, totalTokenCount: 1800 },
      { input_tokens: 1000, output_tokens: 800 },
    ],
    [
      'the candidates',
      { promptTokenCount: 1000, totalTokenCount: 1800 },
      { input_tokens: 1000, output_tokens: 800 },
    ],
    [
      'beside thoughts and tools',
      { promptTokenCount: 10, thoughtsTokenCount: 5, toolUsePromptTokenCount: 3, totalTokenCount: 25 },
      { input_tokens: 13, output_tokens: 7, thinking_tokens: 5 },
    ],
    [
      'nothing if nothing is left, as at the start of a stream',
      { promptTokenCount: 10, totalTokenCount: 10 },
      { input_tokens: 10, output_tokens: undefined },
    ],
  ])('%s', (_, meta, expected) => expect(reportOf(meta)).toMatchObject(expected))
})

describe('usage absent is not usage zero', () => {
  test.each([
    ['absent', undefined],
    ['null', null],
    ['a number', 12],
    ['an array', []],
    ['empty', {}],
    ['without counts', { totalTokenCount: 5, trafficType: 'ON_DEMAND' }],
    ['all null', { promptTokenCount: null, candidatesTokenCount: null }],
  ])('%s is undefined', (_name, meta) => {
    expect(gemini.text.readUsage(meta === undefined ? {} : { usageMetadata: meta })).toBeUndefined()
  })
})

describe('an unreported count stays unknown', () => {
  test.each<[string, JsonObject, ReportedUsage]>([
    ['the output', { promptTokenCount: 7 }, { input_tokens: 7, output_tokens: undefined }],
    ['the input', { candidatesTokenCount: 7 }, { input_tokens: undefined, output_tokens: 7 }],
    [
      'but not the output beside thoughts: Gemini omits a zero',
      { thoughtsTokenCount: 7 },
      { output_tokens: 0, thinking_tokens: 7 },
    ],
  ])('%s', (_name, meta, expected) => expect(reportOf(meta)).toMatchObject(expected))
})

describe('a contradiction is visible: a count is negative, or not a number', () => {
  const audio = (tokenCount: Json) => [{ modality: 'AUDIO', tokenCount }]
  test.each<[string, JsonObject]>([
    ...[-5, 1.5, 'many', '-5', 1e300, {}, true].map((count): [string, JsonObject] => [
      `a count of ${JSON.stringify(count)}`,
      { promptTokenCount: count },
    ]),
    ['more candidates than the total', { candidatesTokenCount: 9, totalTokenCount: 5 }],
    ['more cached than read', { promptTokenCount: 10, cachedContentTokenCount: 30 }],
    ['cached, and nothing read', { cachedContentTokenCount: 30, candidatesTokenCount: 1 }],
    [
      'more cached than read, made up for by tools',
      { promptTokenCount: 10, cachedContentTokenCount: 30, toolUsePromptTokenCount: 100 },
    ],
    ['a negative count made up for by tools', { promptTokenCount: -10, toolUsePromptTokenCount: 100 }],
    ['more audio than read', { promptTokenCount: 10, promptTokensDetails: audio(11) }],
    [
      'more audio than read, made up for by tools',
      { promptTokenCount: 10, promptTokensDetails: audio(11), toolUsePromptTokenCount: 100 },
    ],
    [
      'more audio cached than cached',
      { promptTokenCount: 10, cachedContentTokenCount: 2, cacheTokensDetails: audio(3) },
    ],
    [
      'more images than candidates',
      { candidatesTokenCount: 5, candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 6 }] },
    ],
  ])('%s', (_name, meta) => {
    const counts = Object.values(inFull(reportOf(meta) ?? {}))
    expect(counts.some((count) => !(count >= 0))).toBe(true)
  })
})

describe('properties', () => {
  test('every token of a consistent usage is counted once', () => {
    const tokens = fc.nat(100_000)
    fc.assert(
      fc.property(
        tokens,
        tokens,
        tokens,
        tokens,
        tokens,
        tokens,
        (uncached, cached, audio, text, image, thoughts) => {
          const usage = usageOf({
            promptTokenCount: uncached + audio + cached,
            cachedContentTokenCount: cached,
            promptTokensDetails: [
              { modality: 'AUDIO', tokenCount: audio },
              { modality: 'TEXT', tokenCount: uncached + cached },
            ],
            candidatesTokenCount: text + image,
            candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: image }],
            thoughtsTokenCount: thoughts,
          })
          expect(usage && totalTokens(usage)).toBe(uncached + cached + audio + text + image + thoughts)
        },
      ),
    )
  })
})

describe('recordings', () => {
  test.each([
    'stream-text',
    'stream-usage-at-end',
    'stream-thinking',
    'stream-thinking-exhausted',
    'stream-function-call',
    'stream-cached',
    'stream-prompt-blocked',
    'stream-image',
    'stream-audio-input',
    'whole-text',
  ])('%s: the parts of the last usage add up to its totalTokenCount', (name) => {
    const last = events(name).at(-1) ?? {}
    const usage = inFull(gemini.text.readUsage(last))
    const meta = last.usageMetadata as JsonObject
    expect(usage && totalTokens(usage)).toBe(Number(meta.totalTokenCount))
  })
})

describe('output of an answer without usage is estimated', () => {
  const answer = (...parts: Json[]): JsonObject => ({ candidates: [{ content: { parts } }] })
  const cases: [string, JsonObject, number][] = [
    ['text, four characters a token', answer({ text: 'abcdefgh' }), 2],
    ['visible thoughts count, too', answer({ text: 'abcd', thought: true }, { text: 'efgh' }), 2],
    [
      'an image as the provider counts it',
      answer({ inlineData: { mimeType: 'image/png', data: 'AAAA' } }),
      1290,
    ],
    ['a signature does not count as output', answer({ thoughtSignature: 'AAAAAAAAAAAA' }), 0],
    [
      'all candidates',
      {
        candidates: [{ content: { parts: [{ text: 'abcd' }] } }, { content: { parts: [{ text: 'efgh' }] } }],
      },
      2,
    ],
    ['a blocked prompt has no output', { promptFeedback: { blockReason: 'SAFETY' } }, 0],
    ['an error is never output', { error: { message: 'a long story about what failed' } }, 0],
    [
      'malformed answers have no output',
      { candidates: [null, 1, { content: 'x' }, { content: { parts: 'x' } }] },
      0,
    ],
  ]
  test.each(cases)('%s', (_name, body, tokens) => expect(gemini.text.estimateOutput(body)).toBe(tokens))

  test('a function call counts by its JSON', () => {
    expect(gemini.text.estimateOutput(answer({ functionCall: { name: 'f', args: {} } }))).toBeGreaterThan(5)
  })
})
