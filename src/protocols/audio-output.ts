// Audio answers of text models, billed as an extra: their requests and their tokens.
import type { FieldRule } from './extras.ts'
import { refusal } from './wire/json.ts'

/** The extra for audio answers: charged per audio token, in addition to the price of output tokens. */
export const AUDIO_OUTPUT = 'audio_output'

/** The rule of a field that lists the forms of the answer. */
export const judgeModalities: FieldRule = (value, at, found) => {
  const listed = Array.isArray(value) ? value : [value]
  for (const [index, modality] of listed.entries()) {
    const word = typeof modality === 'string' ? modality.toLowerCase() : undefined
    if (word !== undefined && AT_OTHER_RATES.has(word)) continue
    const place = Array.isArray(value) ? `${at}[${index}]` : at
    if (word !== 'audio')
      throw refusal(place, 'is an unknown form of answer. Use "text", "image" or "audio", or leave it out.')
    found.push({ name: AUDIO_OUTPUT, at: place, is_charged: true })
  }
}

const AT_OTHER_RATES: ReadonlySet<string> = new Set(['text', 'image', 'modality_unspecified'])

/** Gemini and OpenAI both stream audio as raw 16-bit samples, 24,000 a second. */
const BYTES_PER_SECOND = 48_000

/**
 * The tokens of delivered audio, for answers that the provider has not counted (yet).
 * @param base64_chars the length of the audio in the answer
 * @param tokens_per_second the provider's rate
 */
export const audioTokens = (base64_chars: number, tokens_per_second: number): number =>
  Math.ceil((base64_chars * 0.75 * tokens_per_second) / BYTES_PER_SECOND)
