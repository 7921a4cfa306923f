// Transcriptions and translations of OpenAI's API: https://platform.openai.com/docs/api-reference/audio/createTranscription.
import { NO_USAGE } from '../answer.ts'
import { EVENT_STREAM, type Query, type Refusal, refusal, type UsageReport } from '../dialect.ts'
import { type JsonObject, listOf, textOf } from '../json.ts'
import { fieldOf } from '../multipart.ts'
import { split } from '../pieces.ts'
import { tokenize } from '../tokens.ts'
import { secondsOf } from './audio.ts'

const TOKENS_PER_S = 10

interface Speech {
  text: string
  seconds: number
}

/** All of OpenAI's fields of a segment. */
const SEGMENT = {
  id: 0,
  seek: 0,
  start: 0,
  end: 0,
  text: '',
  tokens: [50364, 50414],
  temperature: 0,
  avg_logprob: -0.25,
  compression_ratio: 1.1,
  no_speech_prob: 0.01,
}

const WRITERS: Readonly<
  Record<string, (speech: Speech, usage: JsonObject) => { body: string; content_type?: string }>
> = {
  json: ({ text }, usage) => ({ body: JSON.stringify({ text, ...usage }) }),
  text: ({ text }) => ({ body: `${text}\n`, content_type: 'text/plain; charset=utf-8' }),
  srt: ({ text, seconds }) => ({
    body: `1\n00:00:00,000 --> ${clock(seconds).replace('.', ',')}\n${text}\n`,
    content_type: 'text/plain; charset=utf-8',
  }),
  vtt: ({ text, seconds }) => ({
    body: `WEBVTT\n\n00:00:00.000 --> ${clock(seconds)}\n${text}\n`,
    content_type: 'text/vtt; charset=utf-8',
  }),
  verbose_json: ({ text, seconds }, usage) => ({
    body: JSON.stringify({
      task: 'transcribe',
      language: 'english',
      duration: seconds,
      text,
      segments: [{ ...SEGMENT, end: seconds, text }],
      ...usage,
    }),
  }),
}

export function readTranscription(model: string, body: JsonObject): Query | Refusal {
  const audio = Buffer.from(textOf(listOf(body.file)[0]), 'base64')
  const format = fieldOf(body, 'response_format') || 'json'
  const write = Object.hasOwn(WRITERS, format) ? WRITERS[format] : undefined
  if (audio.length === 0) return refusal('file', "Missing required parameter: 'file'.")
  if (!write) return refusal('response_format', "Invalid value for 'response_format'.")
  const seconds = Math.round(secondsOf(audio) * 1_000) / 1_000
  const speech = { seconds, text: `This is what was said in ${seconds} seconds of simulated audio.` }
  const tokens = tokenize(speech.text)
  const prompt = Math.ceil(seconds * TOKENS_PER_S)
  const totals = { ...NO_USAGE, prompt, output: tokens.length }
  return {
    model,
    respond(usage_report) {
      const usage = usageOf(model, speech, tokens.length, usage_report)
      // Whisper ignores `stream`: https://platform.openai.com/docs/api-reference/audio/createTranscription.
      if (fieldOf(body, 'stream') !== 'true' || isWhisper(model)) return { ...write(speech, usage), totals }
      const deltas = split(tokens, tokens.length).map((piece) => ({
        type: 'transcript.text.delta',
        delta: piece.join(''),
      }))
      const payloads = [...deltas, { type: 'transcript.text.done', text: speech.text, ...usage }]
      return {
        body: '',
        stream: { payloads: payloads.map((payload) => JSON.stringify(payload)), framing: EVENT_STREAM },
        totals,
      }
    },
  }
}

const isWhisper = (model: string): boolean => model.includes('whisper')

/** Whisper reports the duration, the models after it tokens. */
function usageOf(model: string, { seconds }: Speech, output: number, usage_report: UsageReport): JsonObject {
  if (usage_report === 'absent') return {}
  const is_zero = usage_report === 'zero'
  if (isWhisper(model)) return { usage: { type: 'duration', seconds: is_zero ? 0 : seconds } }
  const audio_tokens = is_zero ? 0 : Math.ceil(seconds * TOKENS_PER_S)
  const output_tokens = is_zero ? 0 : output
  return {
    usage: {
      type: 'tokens',
      input_tokens: audio_tokens,
      input_token_details: { text_tokens: 0, audio_tokens },
      output_tokens,
      total_tokens: audio_tokens + output_tokens,
    },
  }
}

/** A time in the form of WebVTT. */
const clock = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(11, 23)
