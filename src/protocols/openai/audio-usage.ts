// What OpenAI's audio endpoints report of a call: tokens, or the duration of the audio.
// https://platform.openai.com/docs/api-reference/audio/json-object
import type { ReportedUnits } from '../../domain/units.ts'
import { isObject, type Json, type JsonObject, objectIn, tokenCountIn } from '../wire/json.ts'

/**
 * Mistral's seconds have a name of their own: @mistralai/mistralai 2.7 `UsageInfo`.
 * @param answer a whole answer, or the event that ends a stream; `duration` is that of `verbose_json`
 */
export function readAudioUnits({ usage, duration }: JsonObject): ReportedUnits | undefined {
  const { seconds, prompt_audio_seconds } = objectIn(usage)
  const audio_ms = secondsIn(seconds) ?? secondsIn(prompt_audio_seconds) ?? secondsIn(duration)
  if (!isObject(usage) && audio_ms === undefined) return undefined
  const counts = objectIn(usage)
  const input = tokenCountIn(counts.input_tokens)
  const input_audio_tokens = tokenCountIn(objectIn(counts.input_token_details).audio_tokens)
  return {
    audio_ms,
    // Audio is part of the input; what is more than the whole leaves a negative rest, which is not believed.
    input_tokens: input === undefined ? undefined : input - (input_audio_tokens ?? 0),
    input_audio_tokens: input === undefined ? undefined : (input_audio_tokens ?? 0),
    output_tokens: tokenCountIn(counts.output_tokens),
  }
}

/** Whole milliseconds; NaN for what is no duration. Some servers write it as text. */
function secondsIn(value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return undefined
  const seconds = typeof value === 'string' && /^\d{1,7}(\.\d+)?$/.test(value) ? Number(value) : value
  return typeof seconds === 'number' && seconds >= 0
    ? Math.ceil(Number((seconds * 1_000).toFixed(3)))
    : Number.NaN
}
