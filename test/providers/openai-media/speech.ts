// Speech of OpenAI's API: https://platform.openai.com/docs/api-reference/audio/createSpeech.
import { NO_USAGE } from '../answer.ts'
import { EVENT_STREAM, type Query, type Refusal, refusal } from '../dialect.ts'
import { type JsonObject, numberOf } from '../json.ts'
import { fieldOf } from '../multipart.ts'
import { countTokens } from '../tokens.ts'
import { mp3, samples, wav } from './audio.ts'

const MAKERS: Readonly<Record<string, readonly [content_type: string, make: (seconds: number) => Buffer]>> = {
  mp3: ['audio/mpeg', mp3],
  wav: ['audio/wav', wav],
  pcm: ['audio/pcm', samples],
}
const MAX_CHARACTERS = 4_096
const CHARACTERS_PER_S = 15
const TOKENS_PER_S = 20
const EVENT_BYTES = 24_000

export function readSpeech(model: string, body: JsonObject): Query | Refusal {
  const input = fieldOf(body, 'input')
  const format = fieldOf(body, 'response_format') || 'mp3'
  const maker = Object.hasOwn(MAKERS, format) ? MAKERS[format] : undefined
  if (input === '') return refusal('input', "Missing required parameter: 'input'.")
  if (input.length > MAX_CHARACTERS) return refusal('input', "Invalid 'input': string too long.")
  if (fieldOf(body, 'voice') === '') return refusal('voice', "Missing required parameter: 'voice'.")
  if (!maker) return refusal('response_format', 'Simulated speech comes as mp3, wav or pcm.')
  const [content_type, make] = maker
  const seconds = input.length / CHARACTERS_PER_S / (numberOf(body.speed) ?? 1)
  const prompt = countTokens(input)
  const output = Math.ceil(seconds * TOKENS_PER_S)
  return {
    model,
    respond(usage_report) {
      const audio = make(seconds)
      const totals = { ...NO_USAGE, prompt, output }
      if (body.stream_format !== 'sse') return { body: audio, content_type, totals }
      const [input_tokens, output_tokens] = usage_report === 'zero' ? [0, 0] : [prompt, output]
      const usage = { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens }
      const payloads = [
        ...pieces(audio).map((piece) => ({ type: 'speech.audio.delta', audio: piece.toString('base64') })),
        { type: 'speech.audio.done', usage: usage_report === 'absent' ? undefined : usage },
      ]
      return {
        body: '',
        stream: { payloads: payloads.map((payload) => JSON.stringify(payload)), framing: EVENT_STREAM },
        totals,
      }
    },
  }
}

const pieces = (audio: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(audio.length / EVENT_BYTES) }, (_, at) =>
    audio.subarray(at * EVENT_BYTES, (at + 1) * EVENT_BYTES),
  )
