// Paid speech, as a value: text that a model speaks, sent as audio while it comes, or as events.
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

/** OpenAI takes 4,096 characters; others a whole chapter. */
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
  // Its answer is sent while it comes, whatever its format.
  return { model, streams: true, content: [body.bytes], body, request, held, bounds, input }
}

/** Slow speech, in a script that has a syllable or more to a character. English has 15 characters a second. */
const MIN_CHARACTERS_PER_S = 4
const DEFAULT_CHARACTERS_PER_S = 15
/** OpenAI's price for a minute of gpt-4o-mini-tts, by its price for a token. */
const TOKENS_PER_S = 21
/** No tokenizer makes more than this of a byte, and no voice of a second. */
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
  const usual_ms = Math.ceil((characters / DEFAULT_CHARACTERS_PER_S / speed) * 1_000)
  // If the caller leaves before any audio came, the provider has made all of it.
  const input: Units = { ...NO_UNITS, characters, input_tokens, audio_ms: usual_ms }
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
  return { input, held, bounds: { estimate: withAudio(input, usual_ms), most, exact: ['characters'] } }
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
  const passing = isEvents(content_type) ? asEvents(held.order) : asAudio(held.order, content_type)
  return servedStream(parts, held, dispatched, passing)
}

/** @throws UpstreamFault for what is neither audio nor events: an error under status 200, a page of a proxy in between */
function audioType({ headers }: Response, { response_format }: SpeechRequest): string {
  const type = headers.get('content-type') ?? `audio/${response_format ?? 'mp3'}`
  if (/^(audio\/|application\/octet-stream|application\/ogg|text\/event-stream)/i.test(type)) return type
  throw new UpstreamFault(`the upstream sent ${type}, no audio`)
}

/** Audio without reported usage is measured. */
function asAudio({ bounds, request, input }: SpeechOrder, content_type: string): PassingAnswer {
  const is_pcm = request.response_format === 'pcm' || /^audio\/(pcm|l16)/i.test(content_type)
  const meter = createAudioMeter(is_pcm)
  return {
    relay: passBytes(content_type, meter.add),
    reported: () => undefined,
    bounds: () => measured(bounds, input, meter.durationMs()),
    delivered: () => meter.total_bytes > 0,
  }
}

/** The units of generated audio. */
const MADE: ReadonlySet<Unit> = new Set(['audio_ms', 'output_tokens'])
/** MP3 as OpenAI makes it: 128 kbit/s and more. What is only estimated by its bytes is not estimated too high. */
const BYTES_PER_S = 20_000

/** The audio of events is measured as that of files is, where something of its price depends on it. */
function asEvents({ model, bounds, input, request }: SpeechOrder): PassingAnswer {
  const is_priced = model.price.rates.some(({ name }) => MADE.has(RATES[name].unit))
  const meter = is_priced ? createAudioMeter(request.response_format === 'pcm') : undefined
  const reading = new AudioStreamReading('audio', (value) =>
    // A slash may be written with an escape.
    meter?.add(Buffer.from(value.includes('\\') ? value.replaceAll('\\', '') : value, 'base64')),
  )
  return {
    relay: passOn(reading, eventFrame()),
    reported: () => reading.units(),
    bounds() {
      if (!meter) return bounds
      if (meter.total_bytes === 0) return { ...bounds, estimate: input }
      return measured(bounds, input, meter.durationMs() ?? guessedMs(meter, request, reading.finished))
    },
    delivered: () => reading.passed_bytes > 0,
  }
}

/** For audio in no known container. Without a requested format servers send MP3, as OpenAI does, or bare samples. */
function guessedMs(
  { total_bytes }: AudioMeter,
  { response_format }: SpeechRequest,
  finished: boolean,
): number | undefined {
  if (response_format === undefined) return pcmDurationMs(total_bytes)
  return finished ? undefined : Math.ceil((total_bytes / BYTES_PER_S) * 1_000)
}

const measured = (bounds: UnitBounds, input: Units, audio_ms: number | undefined): UnitBounds =>
  audio_ms === undefined
    ? bounds
    : { ...bounds, estimate: withAudio(input, Math.min(audio_ms, bounds.most.audio_ms)) }
