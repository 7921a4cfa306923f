// OpenAI's speech: the facts for its price, and its target.
// https://platform.openai.com/docs/api-reference/audio/createSpeech
import type { FieldHandling } from '../../domain/catalogue.ts'
import { estimateTokens } from '../../domain/token-estimate.ts'
import { storedStateRefusal } from '../extras.ts'
import { Anything, Choice, Fields, namesOf, optional, Quantity, readPresent, Text } from '../forms.ts'
import { boundAll, inputBound } from '../input-bound.ts'
import type { UnitProtocol } from '../unit-calls.ts'
import { isObject, type JsonObject, refusal } from '../wire/json.ts'
import { namesFrom } from '../wire/json-names.ts'
import { readAudioUnits } from './audio-usage.ts'
import { extras, rejectBeyondUnits } from './extras.ts'

const STREAM_FORMATS = { audio: 'audio', sse: 'sse' } as const

const Speech = Fields({
  model: Anything,
  input: Text,
  instructions: optional(Text),
  response_format: optional(Text),
  speed: optional(Quantity),
  stream_format: optional(Choice(STREAM_FORMATS)),
  /** A name, or an object with the id of a custom voice. */
  voice: Anything,
})

const KNOWN = namesOf(Speech)

/** Every field decides. */
export const speechNames = namesFrom({}, { billed: [...KNOWN, ...extras.decisive_fields] })

export interface SpeechRequest {
  /** Unicode code points of the text. */
  characters: number
  /** An estimate for the text and the voice instructions. */
  input_tokens: number
  /** The most tokens of the whole request. They are held. */
  input_bound_tokens: number
  speed: number
  /** Undefined if the caller names none, which means MP3. */
  response_format: string | undefined
}

const MIN_SPEED = 0.25
const MAX_SPEED = 4

/**
 * @param dropped_tokens the most tokens that the provider gets but `body` lacks (see boundDropped)
 * @throws GatewayError invalid_request that names the field
 */
export function readSpeechRequest(
  body: JsonObject,
  unknown_fields: FieldHandling,
  dropped_tokens = 0,
): SpeechRequest {
  const fields = readPresent(Speech, body, '')
  const { input, instructions = '', speed = 1, response_format, voice } = fields
  if (input === '') throw refusal('input', 'must not be empty.')
  if (!(speed >= MIN_SPEED && speed <= MAX_SPEED))
    throw refusal('speed', `must be between ${MIN_SPEED} and ${MAX_SPEED}.`)
  if (isObject(voice)) throw storedStateRefusal('voice.id')
  rejectBeyondUnits(body, KNOWN, unknown_fields)
  const input_tokens = estimateTokens(input) + estimateTokens(instructions)
  return {
    characters: codePoints(input),
    input_tokens,
    input_bound_tokens: inputBound(boundAll(body) + dropped_tokens, input_tokens),
    speed,
    response_format,
  }
}

/** Counts a surrogate pair as one character. */
function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

export const openaiSpeech: UnitProtocol = {
  target: { path: '/audio/speech', headers: {} },
  readUnits: readAudioUnits,
}
