// The counts of compactions in a message's usage, whole and streamed.
import { describe, expect, test } from 'bun:test'
import { initialUsage, laterUsage, readCounts } from '../../../src/protocols/anthropic/usage.ts'
import type { Json, JsonObject } from '../../../src/protocols/wire/json.ts'

const COUNTS = { input_tokens: 10, output_tokens: 5 }
const compaction = (counts: JsonObject): JsonObject => ({ type: 'compaction', ...counts })

/** [input, cache read, cache write for 5 minutes, for an hour, output] */
const read = (usage: JsonObject, start: JsonObject = {}) => {
  const counts = readCounts(laterUsage(initialUsage(start), usage))
  return [
    counts?.input_tokens,
    counts?.cache_read_tokens,
    counts?.cache_write_5m_tokens,
    counts?.cache_write_1h_tokens,
    counts?.output_tokens,
  ]
}

describe('compactions are added to the counts of the message', () => {
  const ALL = compaction({
    input_tokens: 100,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 30,
    cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    output_tokens: 7,
  })
  test.each<[string, JsonObject[], number[]]>([
    ['one', [ALL], [110, 20, 10, 20, 12]],
    ['two', [ALL, ALL], [210, 40, 20, 40, 19]],
    ['one beside the message itself', [ALL, { ...COUNTS, type: 'message' }], [110, 20, 10, 20, 12]],
    ['none', [{ ...COUNTS, type: 'message' }], [10, 0, 0, 0, 5]],
    ['an advisor, which is another model', [{ ...ALL, type: 'advisor_message' }], [10, 0, 0, 0, 5]],
    [
      'a fallback, whose counts are those of the message',
      [{ ...ALL, type: 'fallback_message' }],
      [10, 0, 0, 0, 5],
    ],
    ['an unknown type', [{ ...ALL, type: 'another' }], [10, 0, 0, 0, 5]],
  ])('%s', (_, iterations, counts) => {
    expect(read({ ...COUNTS, iterations })).toEqual(counts)
  })

  test('once for a stream, whatever its start reported', () => {
    const start = { input_tokens: 100, output_tokens: 1, cache_read_input_tokens: 20 }
    const ended = { ...COUNTS, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
    expect(read({ ...ended, iterations: [ALL] }, start)).toEqual([110, 20, 10, 20, 12])
  })
})

test('the input that only the start of a stream reported is billed beside a compaction', () => {
  const iterations = [compaction({ input_tokens: 7_000, output_tokens: 300 })]
  expect(read({ output_tokens: 50, iterations }, { input_tokens: 1_000, output_tokens: 1 })).toEqual([
    8_000, 0, 0, 0, 350,
  ])
})

test.each<[string, JsonObject, JsonObject]>([
  ['in both', { input_tokens: 1_000, output_tokens: 1 }, { output_tokens: 50 }],
  ['in both, with all counts', { input_tokens: 1_000 }, { input_tokens: 1_000, output_tokens: 50 }],
])('a compaction in the start and the end of a stream is billed once: %s', (_, start, ended) => {
  const iterations = [compaction({ input_tokens: 7_000, output_tokens: 300 })]
  expect(read({ ...ended, iterations }, { ...start, iterations })).toEqual([8_000, 0, 0, 0, 350])
  expect(read(ended, { ...start, iterations })).toEqual([8_000, 0, 0, 0, 350])
})

test('a prompt of zeros in a later event replaces no count', () => {
  const start = { input_tokens: 10, cache_read_input_tokens: 3, output_tokens: 1 }
  const ended = { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 }
  expect(read(ended, start)).toEqual([10, 3, 0, 0, 5])
  const written = { cache_creation_input_tokens: 7, cache_creation: { ephemeral_1h_input_tokens: 7 } }
  const none = { cache_creation_input_tokens: 0, cache_creation: { ephemeral_1h_input_tokens: 0 } }
  expect(read({ ...ended, ...none }, { ...start, ...written })).toEqual([10, 3, 0, 7, 5])
})

test('null in a later event replaces no count', () => {
  const start = { input_tokens: 10, cache_read_input_tokens: 3, output_tokens: 1 }
  const ended = { input_tokens: null, cache_read_input_tokens: null, cache_creation: null, output_tokens: 5 }
  expect(read(ended, start)).toEqual([10, 3, 0, 0, 5])
})

describe('a stream that begins with zeros', () => {
  const ZEROS = { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 }
  test.each<[string, JsonObject, JsonObject, (number | undefined)[]]>([
    ['and reports no other input has an unknown one', ZEROS, { output_tokens: 5 }, [undefined, 0, 0, 0, 5]],
    ['has the input that its end reports', ZEROS, COUNTS, [10, 0, 0, 0, 5]],
    ['and ends with zeros has no input', ZEROS, ZEROS, [0, 0, 0, 0, 0]],
    [
      'has an input that is all cached',
      { ...ZEROS, cache_read_input_tokens: 9 },
      { output_tokens: 5 },
      [0, 9, 0, 0, 5],
    ],
  ])('%s', (_, start, ended, counts) => {
    expect(read(ended, start)).toEqual(counts)
  })
})

describe('an invalid list of compactions changes nothing', () => {
  test.each<[string, Json]>([
    ['null', null],
    ['a text', 'compaction'],
    ['an object', compaction({ input_tokens: 100 })],
    ['an empty list', []],
    ['texts', ['compaction']],
    ['no counts', [compaction({})]],
    ['null in place of counts', [compaction({ input_tokens: null, output_tokens: null })]],
  ])('%s', (_, iterations) => {
    expect(read({ ...COUNTS, iterations })).toEqual([10, 0, 0, 0, 5])
  })
  test.each<[string, Json]>([
    ['half a token', 0.5],
    ['a negative count', -1],
    ['a list', []],
  ])('an invalid count is not a number: %s', (_, input_tokens) => {
    expect(read({ ...COUNTS, iterations: [compaction({ input_tokens })] })[0]).toBeNaN()
  })
})
