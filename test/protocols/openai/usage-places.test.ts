// The places where servers of chat completions put their usage: in whole answers and in a stream's chunks, and where there is none.
import { describe, expect, test } from 'bun:test'
import { stream } from '../../../src/protocols/openai/stream.ts'
import { readUsage } from '../../../src/protocols/openai/usage.ts'
import { toByteString } from '../../../src/protocols/wire/byte-string.ts'
import type { JsonObject } from '../../../src/protocols/wire/json.ts'

const COUNTS = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
const NO_COUNTS = { dram_cached_tokens: 0, sram_cached_tokens: 0 }
const choice = (more: JsonObject = {}): JsonObject => ({
  index: 0,
  delta: {},
  finish_reason: 'stop',
  ...more,
})
const LAST: JsonObject = { id: '1', object: 'chat.completion.chunk', choices: [choice()] }

const PLACES: [place: string, chunk: JsonObject, counts: [input: number, cached: number, output: number]][] =
  [
    ['usage', { ...LAST, usage: COUNTS }, [100, 0, 20]],
    ['usage of a chunk without choices', { ...LAST, choices: [], usage: COUNTS }, [100, 0, 20]],
    ['x_groq.usage', { ...LAST, x_groq: { id: 'req_1', usage: COUNTS } }, [100, 0, 20]],
    ['x_groq.usage beside a null', { ...LAST, usage: null, x_groq: { usage: COUNTS } }, [100, 0, 20]],
    ['usage beside Groq’s cache', { ...LAST, usage: COUNTS, x_groq: { usage: NO_COUNTS } }, [100, 0, 20]],
    ['the choice', { ...LAST, choices: [choice({ usage: { ...COUNTS, cached_tokens: 30 } })] }, [70, 30, 20]],
    [
      'the choice, beside a null',
      { ...LAST, usage: null, choices: [choice({ usage: COUNTS })] },
      [100, 0, 20],
    ],
    [
      'the second choice',
      { ...LAST, choices: [choice(), choice({ index: 1, usage: COUNTS })] },
      [100, 0, 20],
    ],
    ['timings', { ...LAST, timings: { cache_n: 236, prompt_n: 1, predicted_n: 35 } }, [1, 236, 35]],
    ['timings without a cache', { ...LAST, timings: { prompt_n: 128, predicted_n: 64 } }, [128, 0, 64]],
    [
      'usage before timings',
      { ...LAST, usage: COUNTS, timings: { prompt_n: 1, predicted_n: 2 } },
      [100, 0, 20],
    ],
    ['eval counts', { ...LAST, prompt_eval_count: 26, eval_count: 290 }, [26, 0, 290]],
    [
      'billed units before tokens',
      {
        ...LAST,
        usage: {
          billed_units: { input_tokens: 5, output_tokens: 9 },
          tokens: { input_tokens: 71, output_tokens: 12 },
        },
      },
      [5, 0, 9],
    ],
    [
      'billed units in meta',
      { ...LAST, meta: { billed_units: { input_tokens: 5, output_tokens: 9 } } },
      [5, 0, 9],
    ],
  ]

const shown = (usage: ReturnType<typeof readUsage>) => [
  usage?.input_tokens,
  usage?.cache_read_tokens,
  usage?.output_tokens,
]

const streamed = (...chunks: JsonObject[]) => {
  const reading = stream.open()
  for (const chunk of chunks) reading.read(toByteString(Buffer.from(JSON.stringify(chunk))))
  return reading.usage()
}

describe.each(PLACES)('%s', (_, chunk, counts) => {
  test('of a whole answer', () => {
    expect(shown(readUsage(chunk))).toEqual(counts)
  })
  test('of a stream’s last chunk', () => {
    const hello = { ...LAST, choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] }
    expect(shown(streamed(hello, chunk))).toEqual(counts)
  })
  test('and of that before the one that ends with the usage', () => {
    const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 }
    expect(shown(streamed(chunk, { ...LAST, choices: [], usage }))).toEqual([7, 0, 5])
  })
})

test.each<[string, JsonObject]>([
  ['nothing', LAST],
  ['null everywhere', { ...LAST, usage: null, x_groq: null, timings: null, meta: null }],
  ['Groq’s cache alone', { ...LAST, x_groq: { usage: NO_COUNTS } }],
  ['speeds alone', { ...LAST, timings: { prompt_per_second: 30.5 } }],
  ['an empty usage', { ...LAST, usage: {} }],
  ['an array', { ...LAST, usage: [COUNTS] }],
  [
    'what the model says',
    { ...LAST, choices: [choice({ delta: { content: JSON.stringify({ usage: COUNTS }) } })] },
  ],
])('%s is no usage', (_, chunk) => {
  expect(readUsage(chunk)).toBeUndefined()
  expect(streamed(chunk)).toBeUndefined()
})
