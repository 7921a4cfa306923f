// The usage of transcriptions and images: by the names of each server, and what follows from the total.
import { describe, expect, test } from 'bun:test'
import { readAudioUnits } from '../../../src/protocols/openai/audio-usage.ts'
import { readImageUsage } from '../../../src/protocols/openai/images.ts'
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
      'of Mistral’s, by its seconds and by its tokens, of which the prompt’s count has the text alone',
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

  test('more audio than input is not believed', () => {
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
