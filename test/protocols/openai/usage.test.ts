// The counts of a chat completion's usage under the names of each server, and what is no count of theirs.
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
const details = (given: JsonObject): JsonObject => ({ ...COUNTS, prompt_tokens_details: given })
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
    ['reasoning that the total alone has', { ...COUNTS, total_tokens: 135 }, [100, 0, 0, 0, 20, 15]],
    [
      'reasoning that a total written as text has',
      { ...COUNTS, total_tokens: '135' },
      [100, 0, 0, 0, 20, 15],
    ],
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

describe('a total that says less than the counts, or nothing, changes nothing', () => {
  test.each([0, 119, -1, 120.5, 'many', null, true, {}, [[135]], 1e300])('%p', (total_tokens) => {
    expect(read({ ...COUNTS, total_tokens })).toEqual([100, 0, 0, 0, 20, 0])
  })
  test('nor does one beside a count that is absent', () => {
    expect(read({ prompt_tokens: 100, total_tokens: 135 })).toEqual([100, 0, 0, 0, undefined, 0])
    expect(read({ completion_tokens: 20, total_tokens: 135 })).toEqual([undefined, 0, 0, 0, 20, 0])
  })
})

describe('parts that are more than their whole leave a rest that is not believed', () => {
  test.each<[string, JsonObject, number]>([
    ['a read, of which the total has nothing', details({ cached_tokens: 130 }), 0],
    ['a read, of which the total has a part', { ...details({ cached_tokens: 130 }), total_tokens: 249 }, 0],
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
    ['less than none', details({ cache_write_tokens: -1 })],
    ['a text', { ...COUNTS, cached_tokens: 'some' }],
    ['an object', { ...COUNTS, prompt_cache_hit_tokens: {} }],
  ])('what is no count is not believed: %s', (_, usage) => {
    expect(read(usage)[0]).toBeNaN()
  })
})
