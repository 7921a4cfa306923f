// Paid speech as a PaidKind: a model speaks a text; audio or events are sent as they arrive.
import { type AudioMeter, createAudioMeter, pcmDurationMs } from '../../../domain/audio/meter.ts'
import type { SpeechModel } from '../../../domain/catalogue.ts'
import { UpstreamFault } from '../../../domain/errors.ts'
import { NO_UNITS, RATES, type Unit, type Units } from '../../../domain/units.ts'
import type { UnitBounds } from '../../../money/pricing/units.ts'
import { boundDropped } from '../../../protocols/dropped-bound.ts'
import { AudioStreamReading } from '../../../protocols/openai/audio-stream.ts'
import { readSpeechRequest, type SpeechRequest, speechNames } from '../../../protocols/openai/speech.ts'
import type { JsonBody } from '../../../protocols/wire/json-body.ts'
import { passBytes } from '../../../upstream/byte-relay.ts'
import { eventFrame, passOn } from '../../../upstream/relay.ts'
import { readCallTarget } from '../../bodies/arrival.ts'
import { findModel, type PaidCall } from '../../life/admission.ts'
import type { Admitted, Held } from '../../life/call.ts'
import type { PaidKind } from '../../life/paid-kind.ts'
import type { CallParts } from '../../parts.ts'
import { dispatchCall } from '../../serving/dispatch-call.ts'
import { UNIT_PRICING, type UnitOrder } from './billing.ts'
import { jsonWriter, readJsonRequest } from './json-request.ts'
import { isEvents, openAnswer, openEvents, type PassingAnswer, servedStream } from './streamed.ts'

/** OpenAI accepts 4,096 characters; others accept a whole chapter. */
const BODY_LIMIT_BYTES = 1024 * 1024

interface SpeechOrder extends UnitOrder<SpeechModel> {
  body: JsonBody
  request: SpeechRequest
}

export const speechCalls: PaidKind<PaidCall, SpeechOrder> = {
  ...UNIT_PRICING,
  read: readSpeech,
  serve: serveSpeech,
}

async function readSpeech(parts: CallParts, admitted: Admitted): Promise<SpeechOrder> {
  const body = await readJsonRequest(parts, admitted, {
    kind: 'speech',
    names: speechNames,
    limit_bytes: BODY_LIMIT_BYTES,
  })
  const model = findModel(parts, admitted, readCallTarget(body.json).model_id, 'speech')
  const request = readSpeechRequest(body.json, model.unknown_fields, boundDropped(body))
  const { held, bounds, input } = unitsOf(request)
  // The answer is sent as it arrives, in any format.
  return { model, streams: true, content: [body.bytes], body, request, held, bounds, input }
}

/** Slow speech in a script with a syllable or more per character. English has 15 characters a second. */
const MIN_CHARACTERS_PER_S = 4
const DEFAULT_CHARACTERS_PER_S = 15
/** OpenAI's price for a second of gpt-4o-mini-tts, divided by its price for a token. */
const TOKENS_PER_S = 21
/** No tokenizer makes more tokens of a character, and no voice more tokens a second (MAX_TOKENS_PER_S). */
const MAX_TOKENS_PER_CHARACTER = 4
const MAX_TOKENS_PER_S = 100
const SLACK_TOKENS = 1_000
const SLACK_MS = 5_000

function unitsOf({
  characters,
  input_tokens,
  input_bound_tokens,
  speed,
}: SpeechRequest): Pick<UnitOrder, 'held' | 'bounds' | 'input'> {
  const estimated_ms = Math.ceil((characters / DEFAULT_CHARACTERS_PER_S / speed) * 1_000)
  // If the caller disconnects before any audio arrived, the provider has still generated all of it.
  const input: Units = { ...NO_UNITS, characters, input_tokens, audio_ms: estimated_ms }
  const longest_s = characters / MIN_CHARACTERS_PER_S / speed + 1
  const longest = withAudio(input, Math.ceil(longest_s * 1_000))
  const held = { ...longest, input_tokens: input_bound_tokens }
  const most: Units = {
    ...longest,
    input_tokens: Math.max(
      Math.max(characters, input_tokens) * MAX_TOKENS_PER_CHARACTER + SLACK_TOKENS,
      input_bound_tokens,
    ),
    audio_ms: longest.audio_ms * 4 + SLACK_MS,
    output_tokens: Math.ceil(longest_s * 4 * MAX_TOKENS_PER_S) + SLACK_TOKENS,
  }
  return { input, held, bounds: { estimate: withAudio(input, estimated_ms), most, exact: ['characters'] } }
}

const withAudio = (input: Units, audio_ms: number): Units => ({
  ...input,
  audio_ms,
  output_tokens: Math.ceil((audio_ms / 1_000) * TOKENS_PER_S),
})

async function serveSpeech(parts: CallParts, held: Held<SpeechOrder>): Promise<Response> {
  const { body, request } = held.order
  const dispatched = await dispatchCall(parts, held, {
    streams: true,
    write: jsonWriter(parts, 'speech', body),
    open(response, attempt, onProgress) {
      const type = audioType(response, request)
      return isEvents(type)
        ? openEvents(parts, attempt, response, { piece: 'audio', onProgress })
        : openAnswer(parts, attempt, response, type)
    },
  })
  const { content_type } = dispatched.answer
  const passing = isEvents(content_type) ? passEvents(held.order) : passAudio(held.order, content_type)
  return servedStream(parts, held, dispatched, passing)
}

/** @throws UpstreamFault for an answer that is neither audio nor events: an error with status 200, or a proxy's page */
function audioType({ headers }: Response, { response_format }: SpeechRequest): string {
  const type = headers.get('content-type') ?? `audio/${response_format ?? 'mp3'}`
  if (/^(audio\/|application\/octet-stream|application\/ogg|text\/event-stream)/i.test(type)) return type
  throw new UpstreamFault(`the upstream sent ${type}, no audio`)
}

/** Passes audio on. Its duration is measured, for a provider that reports no usage. */
function passAudio({ bounds, request, input }: SpeechOrder, content_type: string): PassingAnswer {
  const is_pcm = request.response_format === 'pcm' || /^audio\/(pcm|l16)/i.test(content_type)
  const meter = createAudioMeter(is_pcm)
  return {
    relay: passBytes(content_type, meter.add),
    reported: () => undefined,
    bounds: () => boundsAt(bounds, input, meter.durationMs()),
    delivered: () => meter.total_bytes > 0,
  }
}

/** The units that depend on the generated audio. */
const AUDIO_UNITS: ReadonlySet<Unit> = new Set(['audio_ms', 'output_tokens'])
/** MP3 from OpenAI has 128 kbit/s or more (16,000 bytes/s). A higher figure keeps the estimate by bytes from being too high. */
const BYTES_PER_S = 20_000

/** Passes events on. Their audio is measured like a file's if the price depends on it. */
function passEvents({ model, bounds, input, request }: SpeechOrder): PassingAnswer {
  const is_priced = model.price.rates.some(({ name }) => AUDIO_UNITS.has(RATES[name].unit))
  const meter = is_priced ? createAudioMeter(request.response_format === 'pcm') : undefined
  const reading = new AudioStreamReading('audio', (value) =>
    // JSON may escape a slash.
    meter?.add(Buffer.from(value.includes('\\') ? value.replaceAll('\\', '') : value, 'base64')),
  )
  return {
    relay: passOn(reading, eventFrame()),
    reported: () => reading.units(),
    bounds() {
      if (!meter) return bounds
      if (meter.total_bytes === 0) return { ...bounds, estimate: input }
      return boundsAt(bounds, input, meter.durationMs() ?? estimatedMs(meter, request, reading.finished))
    },
    delivered: () => reading.passed_bytes > 0,
  }
}

/** Estimates audio in no known container. Without a requested format, servers send MP3, as OpenAI does, or bare samples. */
function estimatedMs(
  { total_bytes }: AudioMeter,
  { response_format }: SpeechRequest,
  finished: boolean,
): number | undefined {
  if (response_format === undefined) return pcmDurationMs(total_bytes)
  return finished ? undefined : Math.ceil((total_bytes / BYTES_PER_S) * 1_000)
}

const boundsAt = (bounds: UnitBounds, input: Units, audio_ms: number | undefined): UnitBounds =>
  audio_ms === undefined
    ? bounds
    : { ...bounds, estimate: withAudio(input, Math.min(audio_ms, bounds.most.audio_ms)) }
