// The usage of chat completions, transcriptions and images: its place and names at each server, and counts computed from the total.
import { describe, expect, test } from 'bun:test'
import { readAudioUnits } from '../../../src/protocols/openai/audio-usage.ts'
import { readImageUsage } from '../../../src/protocols/openai/images.ts'
import { stream } from '../../../src/protocols/openai/stream.ts'
import { readUsage } from '../../../src/protocols/openai/usage.ts'
import { toByteString } from '../../../src/protocols/wire/byte-string.ts'
import type { JsonObject } from '../../../src/protocols/wire/json.ts'

describe('a transcription', () => {
  test.each<[string, JsonObject, (number | undefined)[]]>([
    [
      'of OpenAI’s',
      {
        input_tokens: 14,
        input_token_details: { text_tokens: 4, audio_tokens: 10 },
        output_tokens: 5,
        total_tokens: 19,
      },
      [undefined, 4, 10, 5],
    ],
    ['by its seconds', { type: 'duration', seconds: 3 }, [3_000, undefined, undefined, undefined]],
    // Recorded: package @mistralai/mistralai 2.7 has the type, `UsageInfo`.
    [
      'of Mistral’s, by seconds and by tokens: the prompt’s count has only the text',
      {
        prompt_audio_seconds: 12,
        prompt_tokens: 3,
        total_tokens: 419,
        completion_tokens: 41,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 375 },
      },
      [12_000, 3, 375, 41],
    ],
    [
      'of Mistral’s, partly from a cache',
      {
        prompt_audio_seconds: 5,
        prompt_tokens: 5,
        total_tokens: 404,
        completion_tokens: 24,
        prompt_tokens_details: { cached_tokens: 368 },
      },
      [5_000, 373, 7, 24],
    ],
    ['without its input', { output_tokens: 5, total_tokens: 19 }, [undefined, 14, 0, 5]],
    ['without its output', { input_tokens: 14, total_tokens: 19 }, [undefined, 14, 0, 5]],
    [
      'with a total that leaves nothing',
      { input_tokens: 14, total_tokens: 14 },
      [undefined, 14, 0, undefined],
    ],
  ])('%s', (_, usage, counts) => {
    const read = readAudioUnits({ usage })
    expect([read?.audio_ms, read?.input_tokens, read?.input_audio_tokens, read?.output_tokens]).toEqual(
      counts,
    )
  })

  test('more audio than input leaves a negative count', () => {
    const usage = { input_tokens: 4, input_token_details: { audio_tokens: 10 }, output_tokens: 5 }
    expect(readAudioUnits({ usage })?.input_tokens).toBeLessThan(0)
  })
})

describe('an image', () => {
  test.each<[string, JsonObject, [input: number | undefined, output: number | undefined]]>([
    ['in full', { input_tokens: 50, output_tokens: 1056, total_tokens: 1106 }, [50, 1056]],
    ['without its input', { output_tokens: 1056, total_tokens: 1106 }, [50, 1056]],
    ['without its output', { input_tokens: 50, total_tokens: 1106 }, [50, 1056]],
    ['with a total that leaves nothing', { output_tokens: 1056, total_tokens: 1056 }, [undefined, 1056]],
  ])('%s', (_, usage, [input, output]) => {
    const read = readImageUsage({ usage })?.usage
    expect([read?.input_tokens, read?.output_image_tokens]).toEqual([input, output])
  })
})

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

const countsOf = (usage: ReturnType<typeof readUsage>) => [
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
    expect(countsOf(readUsage(chunk))).toEqual(counts)
  })
  test('of a stream’s last chunk', () => {
    const hello = { ...LAST, choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] }
    expect(countsOf(streamed(hello, chunk))).toEqual(counts)
  })
  test('of a stream’s chunk before its last usage, which replaces it', () => {
    const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 }
    expect(countsOf(streamed(chunk, { ...LAST, choices: [], usage }))).toEqual([7, 0, 5])
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
    'a text of the model',
    { ...LAST, choices: [choice({ delta: { content: JSON.stringify({ usage: COUNTS }) } })] },
  ],
])('%s is not usage', (_, chunk) => {
  expect(readUsage(chunk)).toBeUndefined()
  expect(streamed(chunk)).toBeUndefined()
})
