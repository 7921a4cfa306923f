// The counts of a chat completion's usage under the names of each server, and counts that are invalid.
import { describe, expect, test } from 'bun:test'
import { readCounts } from '../../../src/protocols/openai/usage.ts'
import type { JsonObject } from '../../../src/protocols/wire/json.ts'

const COUNTS = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }

/** [input, cache read, cache write for minutes, for an hour, output, thinking] */
const read = (usage: JsonObject) => {
  const counts = readCounts(usage)
  return [
    counts?.input_tokens,
    counts?.cache_read_tokens,
    counts?.cache_write_5m_tokens,
    counts?.cache_write_1h_tokens,
    counts?.output_tokens,
    counts?.thinking_tokens,
  ]
}
const details = (fields: JsonObject): JsonObject => ({ ...COUNTS, prompt_tokens_details: fields })
const reasoned = (reasoning_tokens: number, total_tokens: number): JsonObject => ({
  ...COUNTS,
  total_tokens,
  completion_tokens_details: { reasoning_tokens },
})

describe('each token is counted once', () => {
  test.each<[string, JsonObject, (number | undefined)[]]>([
    ['a read and a write', details({ cached_tokens: 30, cache_write_tokens: 50 }), [20, 30, 50, 0, 20, 0]],
    ['Alibaba’s name of a write', details({ cache_creation_input_tokens: 50 }), [50, 0, 50, 0, 20, 0]],
    [
      'a write for an hour',
      details({ cache_write_tokens: 50, cache_creation: { ephemeral_1h_input_tokens: 40 } }),
      [50, 0, 10, 40, 20, 0],
    ],
    [
      'two names of one read',
      { ...details({ cached_tokens: 30 }), cached_tokens: 30 },
      [70, 30, 0, 0, 20, 0],
    ],
    [
      'the second name where the first is null',
      { ...details({ cached_tokens: null }), cached_tokens: 30 },
      [70, 30, 0, 0, 20, 0],
    ],
    ['a name without details', { ...COUNTS, prompt_cache_hit_tokens: 30 }, [70, 30, 0, 0, 20, 0]],
    ['reasoning within the completion', reasoned(15, 120), [100, 0, 0, 0, 5, 15]],
    ['reasoning beside the completion', reasoned(15, 135), [100, 0, 0, 0, 20, 15]],
    ['reasoning that only the total includes', { ...COUNTS, total_tokens: 135 }, [100, 0, 0, 0, 20, 15]],
    ['reasoning that a total as text includes', { ...COUNTS, total_tokens: '135' }, [100, 0, 0, 0, 20, 15]],
    ['some of it beside the completion', reasoned(15, 125), [100, 0, 0, 0, 10, 15]],
    [
      'reasoning alone',
      { prompt_tokens: 100, completion_tokens: 0, total_tokens: 115 },
      [100, 0, 0, 0, 0, 15],
    ],
    [
      'a read beside the prompt',
      { ...details({ cached_tokens: 130 }), total_tokens: 250 },
      [100, 130, 0, 0, 20, 0],
    ],
    [
      'a read beside the prompt, and reasoning beside the completion',
      { ...details({ cached_tokens: 130 }), total_tokens: 265 },
      [100, 130, 0, 0, 20, 15],
    ],
  ])('%s', (_, usage, counts) => {
    expect(read(usage)).toEqual(counts)
  })
})

describe('a total that is invalid or below the counts changes nothing', () => {
  test.each([0, 119, -1, 120.5, 'many', null, true, {}, [[135]], 1e300])('%p', (total_tokens) => {
    expect(read({ ...COUNTS, total_tokens })).toEqual([100, 0, 0, 0, 20, 0])
  })
  test('nor does a total without a rest beside a missing count', () => {
    expect(read({ prompt_tokens: 100, total_tokens: 100 })).toEqual([100, 0, 0, 0, undefined, 0])
    expect(read({ completion_tokens: 20, total_tokens: 20 })).toEqual([undefined, 0, 0, 0, 20, 0])
    expect(read({ completion_tokens: 20, total_tokens: 0 })).toEqual([undefined, 0, 0, 0, 20, 0])
  })
})

describe('parts above their whole leave a negative rest', () => {
  test.each<[string, JsonObject, number]>([
    ['a read that the total does not include', details({ cached_tokens: 130 }), 0],
    ['a read that the total includes in part', { ...details({ cached_tokens: 130 }), total_tokens: 249 }, 0],
    ['a write', details({ cache_write_tokens: 130 }), 0],
    ['a read and a write together', details({ cached_tokens: 60, cache_write_tokens: 60 }), 0],
    [
      'a write for an hour',
      details({ cache_write_tokens: 50, cache_creation: { ephemeral_1h_input_tokens: 60 } }),
      2,
    ],
    ['reasoning', reasoned(25, 120), 4],
  ])('%s', (_, usage, place) => {
    expect(read(usage)[place]).toBeLessThan(0)
  })
  test.each<[string, JsonObject]>([
    ['half a token', details({ cached_tokens: 0.5 })],
    ['a negative count', details({ cache_write_tokens: -1 })],
    ['a text', { ...COUNTS, cached_tokens: 'some' }],
    ['an object', { ...COUNTS, prompt_cache_hit_tokens: {} }],
  ])('an invalid count is not a number: %s', (_, usage) => {
    expect(read(usage)[0]).toBeNaN()
  })
})

describe('a missing count is computed from the reported ones', () => {
  test.each<[string, JsonObject, (number | undefined)[]]>([
    ['the prompt', { completion_tokens: 800, total_tokens: 1800 }, [1000, 0, 0, 0, 800, 0]],
    ['the completion', { prompt_tokens: 1000, total_tokens: 1800 }, [1000, 0, 0, 0, 800, 0]],
    ['of counts as text', { completion_tokens: '800', total_tokens: '1800' }, [1000, 0, 0, 0, 800, 0]],
    ['by the names of responses', { output_tokens: 800, total_tokens: 1800 }, [1000, 0, 0, 0, 800, 0]],
    [
      'beside a null',
      { prompt_tokens: null, completion_tokens: 800, total_tokens: 1800 },
      [1000, 0, 0, 0, 800, 0],
    ],
    [
      'the prompt, partly from a cache',
      { completion_tokens: 800, total_tokens: 1800, prompt_tokens_details: { cached_tokens: 600 } },
      [400, 600, 0, 0, 800, 0],
    ],
    [
      'with reasoning within the completion',
      { completion_tokens: 800, total_tokens: 1800, completion_tokens_details: { reasoning_tokens: 300 } },
      [1000, 0, 0, 0, 500, 300],
    ],
    [
      'with reasoning beside the completion, as it is more than that',
      { completion_tokens: 2, total_tokens: 354, completion_tokens_details: { reasoning_tokens: 340 } },
      [12, 0, 0, 0, 2, 340],
    ],
    [
      'the completion, its reasoning included',
      { prompt_tokens: 12, total_tokens: 354, completion_tokens_details: { reasoning_tokens: 340 } },
      [12, 0, 0, 0, 2, 340],
    ],
    ['both names of both counts', { input_tokens: 7, output_tokens: 5 }, [7, 0, 0, 0, 5, 0]],
    ['SGLang’s reasoning, beside the counts', { ...COUNTS, reasoning_tokens: 15 }, [100, 0, 0, 0, 5, 15]],
    [
      'more of it than the completion, which is ignored',
      { ...COUNTS, reasoning_tokens: 21 },
      [100, 0, 0, 0, 20, 0],
    ],
    [
      'Perplexity’s reasoning, which is an extra',
      { ...COUNTS, citation_tokens: 9, reasoning_tokens: 15 },
      [100, 0, 0, 0, 20, 0],
    ],
  ])('%s', (_, usage, counts) => {
    expect(read(usage)).toEqual(counts)
  })

  test.each<[string, JsonObject]>([
    ['a completion above the total', { completion_tokens: 21, total_tokens: 20 }],
    ['a prompt above the total', { prompt_tokens: 21, total_tokens: 20 }],
    [
      'a completion and reasoning above the total',
      { completion_tokens: 2, total_tokens: 20, completion_tokens_details: { reasoning_tokens: 19 } },
    ],
    [
      'a cache above the prompt that follows',
      { completion_tokens: 800, total_tokens: 1800, cached_tokens: 1001 },
    ],
  ])('%s contradicts itself', (_, usage) => {
    const counts = Object.values(readCounts(usage) ?? {})
    expect(counts.some((count) => count !== undefined && !(count >= 0))).toBe(true)
  })

  test.each<[string, JsonObject]>([
    ['a total alone', { total_tokens: 20 }],
    ['nothing', {}],
    ['times', { prompt_time: 0.1, total_time: 0.2 }],
  ])('%s is not usage', (_, usage) => {
    expect(readCounts(usage)).toBeUndefined()
  })
})

describe('audio outside the prompt’s count is audio, not output', () => {
  test.each<
    [string, JsonObject, [input: number, audio: number, cached: number, output: number, thinking: number]]
  >([
    [
      'by its own count',
      {
        prompt_tokens: 3,
        completion_tokens: 41,
        total_tokens: 419,
        prompt_tokens_details: { audio_tokens: 375 },
      },
      [3, 375, 0, 41, 0],
    ],
    [
      'by its seconds',
      { prompt_tokens: 4, completion_tokens: 635, total_tokens: 3264, prompt_audio_seconds: 203 },
      [4, 2625, 0, 635, 0],
    ],
    [
      'mostly from a cache',
      {
        prompt_tokens: 5,
        completion_tokens: 24,
        total_tokens: 404,
        prompt_audio_seconds: 5,
        prompt_tokens_details: { cached_tokens: 368 },
      },
      [5, 7, 368, 24, 0],
    ],
    [
      'of no seconds',
      { prompt_tokens: 5, completion_tokens: 24, total_tokens: 30, prompt_audio_seconds: 0 },
      [5, 0, 0, 24, 1],
    ],
  ])('%s', (_, usage, counts) => {
    const read = readCounts(usage)
    expect([
      read?.input_tokens,
      read?.input_audio_tokens,
      read?.cache_read_tokens,
      read?.output_tokens,
      read?.thinking_tokens,
    ]).toEqual(counts)
  })
})
