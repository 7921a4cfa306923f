// The judgement of reported usage: silent.md, Streams whose caller left: "Usage absent is not usage zero: absent is estimated, zero is zero."
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { exceedsRequest } from '../../../src/calls/kinds/text/extras.ts'
import {
  inFull,
  NO_USAGE,
  outputTokens,
  promptTokens,
  type ReportedUsage,
  type Usage,
} from '../../../src/domain/usage.ts'
import { billUsage, UNBOUNDED } from '../../../src/money/pricing/billed-usage.ts'
import { anthropic } from '../../../src/protocols/anthropic/index.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { openai } from '../../../src/protocols/openai/index.ts'
import type { Json, JsonObject } from '../../../src/protocols/wire/json.ts'
import { tokenPrice } from './prices.ts'

const PROTOCOLS = { gemini, anthropic, openai }

const BOUNDS = { input_tokens: 1_000, output_tokens: 100 }
const ESTIMATE = { input_tokens: 3, outputTokens: () => 7 }
const ESTIMATED: Usage = { ...NO_USAGE, input_tokens: 3, output_tokens: 7 }

/** Every kind of token at a price of its own. */
const DISTINCT = tokenPrice({ input: 1, output: 4, thinking: 3, audio: 5, image_output: 30 })
/** Thinking at the price of output, audio at that of input. */
const PLAIN = tokenPrice({ input: 1, output: 4 })

const bill = (reported: ReportedUsage | undefined, price = DISTINCT, bounds = BOUNDS) =>
  billUsage(price, reported, bounds, ESTIMATE)

describe('a possible report is billed as it is', () => {
  test.each<[string, ReportedUsage]>([
    ['within its bounds', { input_tokens: 10, output_tokens: 5 }],
    ['zero', { input_tokens: 0, output_tokens: 0 }],
    ['at its bounds', { input_tokens: 900, cache_read_tokens: 100, output_tokens: 60, thinking_tokens: 40 }],
  ])('%s', (_name, reported) => {
    expect(bill(reported)).toEqual({ usage: inFull(reported), estimated: false })
  })

  test('above the limits of the model, if tools ran at the provider, but never above what can be priced', () => {
    const reported = { input_tokens: 5_000, output_tokens: 5_000 }
    expect(bill(reported, DISTINCT, UNBOUNDED)).toMatchObject({ usage: reported, estimated: false })
    const beyond = { input_tokens: 2 ** 31 + 1, output_tokens: 0 }
    expect(bill(beyond, DISTINCT, UNBOUNDED)).toMatchObject({ usage: ESTIMATED, estimated: true })
  })
})

describe('an impossible report is replaced by an estimate, and its doubt is returned', () => {
  test.each<[string, ReportedUsage, string]>([
    [
      'a negative rest of the input',
      { input_tokens: -1, cache_read_tokens: 5, output_tokens: 1 },
      'contradicts',
    ],
    [
      'a negative rest of the output',
      { input_tokens: 1, output_tokens: -4, thinking_tokens: 9 },
      'contradicts',
    ],
    [
      'a count of the input that is not a number',
      { input_tokens: Number.NaN, output_tokens: 1 },
      'contradicts',
    ],
    [
      'a count of the output that is not a number',
      { input_tokens: 1, output_tokens: 1, thinking_tokens: Number.NaN },
      'contradicts',
    ],
    ['too much input', { input_tokens: 500, cache_read_tokens: 501, output_tokens: 1 }, 'input is larger'],
    ['too much output', { input_tokens: 1, output_tokens: 60, thinking_tokens: 41 }, 'output is larger'],
    ['too much input, the output absent', { input_tokens: 1_001 }, 'input is larger'],
  ])('%s', (_name, reported, why) => {
    const { usage, estimated, doubt } = bill(reported)
    expect({ usage, estimated }).toEqual({ usage: ESTIMATED, estimated: true })
    expect(doubt).toEqual({ reported, why: expect.stringContaining(why) as never })
  })
})

describe('missing counts are estimated, without a doubt', () => {
  test.each<[string, ReportedUsage | undefined, Partial<Usage>]>([
    ['all', undefined, ESTIMATED],
    [
      'the input',
      { output_tokens: 5, thinking_tokens: 1 },
      { input_tokens: 3, output_tokens: 5, thinking_tokens: 1 },
    ],
    [
      'the output',
      { input_tokens: 5, cache_read_tokens: 1 },
      { input_tokens: 5, cache_read_tokens: 1, output_tokens: 7 },
    ],
  ])('%s', (_name, reported, expected) => {
    expect(bill(reported)).toEqual({ usage: { ...NO_USAGE, ...expected }, estimated: true })
  })

  test('missing output is zero if nothing was delivered, as for a blocked prompt', () => {
    const nothing = { ...ESTIMATE, outputTokens: () => 0 }
    expect(billUsage(PLAIN, { input_tokens: 5 }, BOUNDS, nothing)).toEqual({
      usage: { ...NO_USAGE, input_tokens: 5 },
      estimated: false,
    })
  })

  test('no estimate is above the bounds', () => {
    const flood = { ...ESTIMATE, outputTokens: () => 1_000_000 }
    expect(billUsage(PLAIN, undefined, BOUNDS, flood).usage.output_tokens).toBe(BOUNDS.output_tokens)
  })
})

describe('a part that is larger than its whole', () => {
  test('is no contradiction if both have one price: the whole is charged', () => {
    const reported = { input_tokens: -2, input_audio_tokens: 12, output_tokens: -4, thinking_tokens: 9 }
    expect(bill(reported, PLAIN)).toEqual({
      usage: { ...NO_USAGE, input_tokens: 10, output_tokens: 5 },
      estimated: false,
    })
  })
})

describe('whatever a provider of any protocol reports', () => {
  const count = fc.oneof(
    fc.integer({ min: -10, max: 2_000 }),
    fc.double(),
    fc.constantFrom<Json>('5', 'many', null, {}, [], true, 1e300, Number.MAX_SAFE_INTEGER),
  )
  const record = (...names: string[]) =>
    fc.record(Object.fromEntries(names.map((name) => [name, count])), { requiredKeys: [] })
  const details = fc.array(
    fc.record({ modality: fc.constantFrom('AUDIO', 'IMAGE', 'TEXT'), tokenCount: count }),
    { maxLength: 3 },
  )
  const READERS = {
    gemini: fc
      .tuple(
        record('promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount'),
        record('cachedContentTokenCount', 'toolUsePromptTokenCount'),
        fc.record({
          promptTokensDetails: details,
          cacheTokensDetails: details,
          candidatesTokensDetails: details,
        }),
      )
      .map((parts) => gemini.text.readUsage({ usageMetadata: Object.assign({}, ...parts) as JsonObject })),
    openai: fc
      .tuple(
        record('prompt_tokens', 'completion_tokens'),
        fc.record({
          prompt_tokens_details: record('cached_tokens', 'audio_tokens'),
          completion_tokens_details: record('reasoning_tokens'),
        }),
      )
      .map((parts) => openai.text.readUsage({ usage: Object.assign({}, ...parts) as JsonObject })),
    anthropic: fc
      .tuple(
        record('input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'),
        fc.record({
          cache_creation: record('ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'),
          output_tokens_details: record('thinking_tokens'),
        }),
      )
      .map((parts) => anthropic.text.readUsage({ usage: Object.assign({}, ...parts) as JsonObject })),
  }
  test.each(Object.entries(READERS))(
    '%s: billed counts are integers, not negative, and within the bounds',
    (_name, reports) => {
      fc.assert(
        fc.property(reports, fc.constantFrom(DISTINCT, PLAIN), (reported, price) => {
          const { usage } = bill(reported, price)
          for (const tokens of Object.values(usage))
            expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true)
          expect(promptTokens(usage)).toBeLessThanOrEqual(BOUNDS.input_tokens)
          expect(outputTokens(usage)).toBeLessThanOrEqual(BOUNDS.output_tokens)
        }),
      )
    },
  )
})

describe('a request for tools that run at the provider may have usage above the model’s limits', () => {
  const ask = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 5 }
  test.each<[name: keyof typeof PROTOCOLS, body: JsonObject, expected: boolean]>([
    ['gemini', { tools: [{ googleSearch: {} }] }, true],
    ['gemini', { tools: { googleSearch: {} } }, true],
    ['gemini', { tools: [{ functionDeclarations: [] }] }, false],
    ['anthropic', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, true],
    ['anthropic', { tools: [{ type: 'advisor_20260301', name: 'advisor' }] }, true],
    ['anthropic', { context_management: { edits: [{ type: 'compact_20260112' }] } }, true],
    ['anthropic', { speed: 'fast' }, false],
    ['anthropic', { mcp_servers: null }, false],
    ['anthropic', { tools: [{ name: 'f', input_schema: {} }] }, false],
    ['openai', { tools: [{ type: 'web_search' }] }, true],
    ['openai', { web_search_options: {} }, true],
    ['openai', { plugins: [{ id: 'web' }] }, true],
    ['openai', { service_tier: 'priority' }, false],
    ['openai', { tools: [{ function: { name: 'f' } }] }, false],
  ])('%s: %j', (name, body, expected) => {
    expect(exceedsRequest(PROTOCOLS[name].text.extras?.find(body, {}) ?? [])).toBe(expected)
  })

  test('also for a tool that is not an extra, by the facts of the request', () => {
    const search = { ...ask, tools: [{ type: 'tool_search_tool_bm25_20251119', name: 'search' }] }
    expect(anthropic.text.readRequest(search).runs_tools).toBe(true)
    expect(anthropic.text.readRequest(ask).runs_tools).toBe(false)
  })
})
