// The usage of OpenAI's audio endpoints: tokens, or the duration of the audio; and the transcription and translation protocols.
// https://platform.openai.com/docs/api-reference/audio/json-object
import type { ReportedUnits } from '../../domain/units.ts'
import type { UnitProtocol } from '../unit-calls.ts'
import { isObject, type Json, type JsonObject, objectIn } from '../wire/json.ts'
import { readCounts } from './usage.ts'

/**
 * Mistral has its own name for the seconds: @mistralai/mistralai 2.7 `UsageInfo`.
 * @param answer a whole answer, or the last event of a stream; `duration` is a field of `verbose_json`
 */
export function readAudioUnits({ usage, duration }: JsonObject): ReportedUnits | undefined {
  const { seconds, prompt_audio_seconds } = objectIn(usage)
  const audio_ms = durationIn(seconds) ?? durationIn(prompt_audio_seconds) ?? durationIn(duration)
  if (!isObject(usage) && audio_ms === undefined) return undefined
  const counts = readCounts(withDetails(objectIn(usage)))
  const { input_tokens, input_audio_tokens, cache_read_tokens = 0, output_tokens } = counts ?? {}
  return {
    audio_ms,
    input_tokens: input_tokens === undefined ? undefined : input_tokens + cache_read_tokens,
    input_audio_tokens: input_tokens === undefined ? undefined : input_audio_tokens,
    output_tokens,
  }
}

/** OpenAI's details have another name here than in chat completions. */
const withDetails = ({ input_token_details = null, ...usage }: JsonObject): JsonObject => ({
  ...usage,
  prompt_tokens_details: usage.prompt_tokens_details ?? input_token_details,
})

/** Seconds as whole milliseconds; NaN if the value is no duration. Some servers send text. */
function durationIn(value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return undefined
  const seconds = typeof value === 'string' && /^\d{1,7}(\.\d+)?$/.test(value) ? Number(value) : value
  return typeof seconds === 'number' && seconds >= 0
    ? Math.ceil(Number((seconds * 1_000).toFixed(3)))
    : Number.NaN
}

const audioProtocol = (path: string): UnitProtocol => ({
  target: { path, headers: {} },
  readUnits: readAudioUnits,
})

export const openaiTranscriptions = audioProtocol('/audio/transcriptions')
export const openaiTranslations = audioProtocol('/audio/translations')
