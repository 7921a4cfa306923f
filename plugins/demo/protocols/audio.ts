// OpenAI's audio endpoints: speech is a quiet tone, and a transcription is a sentence with the length of the audio.
import type { JsonObject } from '../../../src/protocols/wire/json.ts'
import { Refused } from '../ask.ts'
import type { Endpoint, Served } from '../endpoint.ts'
import { listIn, numberIn, textIn } from '../json.ts'
import { countTokens, tokensOf } from '../text.ts'
import { fieldOf, OPENAI } from './openai.ts'

const RATE = 24_000
const HEADER_BYTES = 44
const CHARACTERS_A_S = 15
const MAX_CHARACTERS = 4_096
const SPEECH_TOKENS_A_S = 20
const RECORDING_TOKENS_A_S = 10
const EVENT_BYTES = 24_000
/** Audio without a WAV header is measured as 128 kbit/s. */
const OTHER_BYTES_A_S = 16_000

/** Generates 16-bit mono samples. */
function samples(seconds: number): Buffer {
  const wave = Int16Array.from({ length: Math.round(seconds * RATE) }, (_, at) =>
    Math.round(800 * Math.sin((2 * Math.PI * 220 * at) / RATE)),
  )
  return Buffer.from(wave.buffer)
}

function wav(seconds: number): Buffer {
  const data = samples(seconds)
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('RIFF', 0)
  header.writeUInt32LE(HEADER_BYTES - 8 + data.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(RATE, 24)
  header.writeUInt32LE(RATE * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(data.length, 40)
  return Buffer.concat([header, data])
}

/** A frame of MPEG-2 layer 3 at 24 kHz and 32 kbit/s, mono: 576 silent samples. */
const SILENT_FRAME = Buffer.concat([Buffer.from([0xff, 0xf3, 0x44, 0xc4]), Buffer.alloc(92)])

const mp3 = (seconds: number): Buffer =>
  Buffer.concat(Array<Buffer>(Math.max(1, Math.round((seconds * RATE) / 576))).fill(SILENT_FRAME))

const ENCODERS: ReadonlyMap<string, readonly [content_type: string, make: (seconds: number) => Buffer]> =
  new Map([
    ['mp3', ['audio/mpeg', mp3]],
    ['wav', ['audio/wav', wav]],
    ['pcm', ['audio/pcm', samples]],
  ])

export const speech: Endpoint = {
  ...OPENAI,
  path: /\/audio\/speech$/,
  serve({ body }) {
    const input = fieldOf(body, 'input')
    const encoder = ENCODERS.get(fieldOf(body, 'response_format') || 'mp3')
    if (input === '') throw new Refused(400, "Missing required parameter: 'input'.", 'input')
    if (input.length > MAX_CHARACTERS) throw new Refused(400, "Invalid 'input': string too long.", 'input')
    if (!encoder) throw new Refused(400, 'Simulated speech comes as mp3, wav or pcm.', 'response_format')
    const [content_type, make] = encoder
    const seconds = input.length / CHARACTERS_A_S / Math.max(0.25, numberIn(body.speed) ?? 1)
    const audio = make(seconds)
    if (body.stream_format !== 'sse') return { bytes: audio, content_type }
    return { events: [...speechDeltas(audio), speechEnd(input, seconds)].map(eventOf) }
  },
}

const eventOf = (payload: object): string => `data: ${JSON.stringify(payload)}\n\n`

const speechDeltas = (audio: Buffer): object[] =>
  Array.from({ length: Math.ceil(audio.length / EVENT_BYTES) }, (_, at) => ({
    type: 'speech.audio.delta',
    audio: audio.subarray(at * EVENT_BYTES, (at + 1) * EVENT_BYTES).toString('base64'),
  }))

function speechEnd(input: string, seconds: number): object {
  const [input_tokens, output_tokens] = [countTokens(input), Math.ceil(seconds * SPEECH_TOKENS_A_S)]
  const usage = { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens }
  return { type: 'speech.audio.done', usage }
}

export const transcription: Endpoint = {
  ...OPENAI,
  path: /\/audio\/(?:transcriptions|translations)$/,
  serve({ body, model }) {
    const audio = Buffer.from(textIn(listIn(body.file)[0]), 'base64')
    if (audio.length === 0) throw new Refused(400, "Missing required parameter: 'file'.", 'file')
    const seconds = Math.round(secondsOf(audio) * 1_000) / 1_000
    const text = `This is what was said in ${seconds} seconds of simulated audio.`
    const usage = transcriptionUsage(model, seconds, text)
    // Whisper ignores `stream`: https://platform.openai.com/docs/api-reference/audio/createTranscription.
    if (fieldOf(body, 'stream') !== 'true' || isWhisper(model)) return inFormat(body, seconds, text, usage)
    const deltas = tokensOf(text).map((delta) => ({ type: 'transcript.text.delta', delta }))
    return { events: [...deltas, { type: 'transcript.text.done', text, usage }].map(eventOf) }
  },
}

function secondsOf(audio: Buffer): number {
  const is_wav = audio.length > HEADER_BYTES && audio.toString('latin1', 0, 4) === 'RIFF'
  return is_wav
    ? (audio.length - HEADER_BYTES) / (audio.readUInt32LE(28) || OTHER_BYTES_A_S)
    : audio.length / OTHER_BYTES_A_S
}

function inFormat(body: JsonObject, seconds: number, text: string, usage: object): Served {
  switch (fieldOf(body, 'response_format') || 'json') {
    case 'json':
      return { json: { text, usage } }
    case 'verbose_json': {
      const segments = [{ id: 0, start: 0, end: seconds, text }]
      return { json: { task: 'transcribe', language: 'english', duration: seconds, text, segments, usage } }
    }
    case 'text':
      return { bytes: `${text}\n`, content_type: 'text/plain; charset=utf-8' }
    default:
      throw new Refused(
        400,
        'Simulated transcriptions come as json, verbose_json or text.',
        'response_format',
      )
  }
}

const isWhisper = (model: string): boolean => model.includes('whisper')

/** Whisper reports the duration; later models report tokens. */
function transcriptionUsage(model: string, seconds: number, text: string): object {
  if (isWhisper(model)) return { type: 'duration', seconds }
  const [audio_tokens, output_tokens] = [Math.ceil(seconds * RECORDING_TOKENS_A_S), countTokens(text)]
  return {
    type: 'tokens',
    input_tokens: audio_tokens,
    input_token_details: { text_tokens: 0, audio_tokens },
    output_tokens,
    total_tokens: audio_tokens + output_tokens,
  }
}
