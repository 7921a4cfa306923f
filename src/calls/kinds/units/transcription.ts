// Paid transcriptions and translations as PaidKinds: a model reads audio, and answers whole or with events.
import { SLOW_BYTES_PER_S } from '../../../domain/audio/bytes.ts'
import { measureDurationMs } from '../../../domain/audio/duration.ts'
import type { TranscriptionModel } from '../../../domain/catalogue.ts'
import { audioMedium } from '../../../domain/media/medium.ts'
import { boundMedia } from '../../../domain/media/tokens.ts'
import { estimateTokens } from '../../../domain/token-estimate.ts'
import { NO_UNITS, type Units } from '../../../domain/units.ts'
import type { UnitBounds } from '../../../money/pricing/units.ts'
import { generationName } from '../../../protocols/canonical/request.ts'
import { unknownField } from '../../../protocols/extras.ts'
import {
  applyBound,
  dataUriType,
  fields as fieldsBound,
  inputBound,
  mediumData,
} from '../../../protocols/input-bound.ts'
import { AudioStreamReading } from '../../../protocols/openai/audio-stream.ts'
import { tokensOfBytes } from '../../../protocols/token-sums.ts'
import { eventFrame, passOn } from '../../../upstream/relay.ts'
import { requestTo } from '../../../upstream/request.ts'
import { readCallTarget } from '../../bodies/arrival.ts'
import { findModel, type PaidCall } from '../../life/admission.ts'
import type { Admitted, Held } from '../../life/call.ts'
import type { PaidKind } from '../../life/paid-kind.ts'
import type { CallParts } from '../../parts.ts'
import { dispatchCall } from '../../serving/dispatch-call.ts'
import { type AudioForm, fieldOf, readAudioForm, streamsOf, writeAudioForm } from './audio-form.ts'
import { UNIT_PRICING, type UnitOrder } from './billing.ts'
import { verbsOf } from './json-request.ts'
import { isEvents, type OpenAnswer, openEvents, type PassingAnswer, servedStream } from './streamed.ts'
import { readUnitAnswer, servedWhole, textFormatOf, type UnitAnswer } from './whole.ts'

type Verb = 'transcriptions' | 'translations'

interface TranscriptionOrder extends UnitOrder<TranscriptionModel> {
  form: AudioForm
}

/** @param verb transcription or translation: both have the same models and forms */
export const transcriptionCalls = (verb: Verb): PaidKind<PaidCall, TranscriptionOrder> => ({
  ...UNIT_PRICING,
  read: readTranscription,
  serve: (parts, held) => serveTranscription(parts, held, verb),
})

const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'language',
  'prompt',
  'response_format',
  'temperature',
  'stream',
  'chunking_strategy',
  'include[]',
  'timestamp_granularities[]',
  'known_speaker_names[]',
  'known_speaker_references[]',
])

async function readTranscription(parts: CallParts, admitted: Admitted): Promise<TranscriptionOrder> {
  const form = await readAudioForm(parts, admitted)
  const { model_id } = readCallTarget({ model: fieldOf(form, 'model') ?? null })
  const model = findModel(parts, admitted, model_id, 'transcription')
  if (model.unknown_fields === 'refuse')
    for (const [name] of form.fields) if (!KNOWN_FIELDS.has(name)) throw unknownField(name)
  const audio_ms = await audioMsOf(form.file.bytes)
  return {
    model,
    streams: streamsOf(form),
    content: [form.sha256],
    form,
    ...unitsOf(form, audio_ms, model.routes.map(generationName)),
  }
}

/** Returns the container's duration in whole milliseconds. If it has none, the audio is assumed to have few bytes per second. */
const audioMsOf = async (bytes: Uint8Array): Promise<number> =>
  (await measureDurationMs(bytes)) ?? Math.ceil((bytes.length / SLOW_BYTES_PER_S) * 1_000)

/** Even the slowest codecs need more than this. */
const MIN_BYTES_PER_S = 500
/** OpenAI: "1 token per 100 ms of audio". https://platform.openai.com/docs/guides/realtime-costs */
const AUDIO_TOKENS_PER_S = 10
/** Fast speech in a script that needs a token or more per syllable. */
const TEXT_TOKENS_PER_S = 8
const SLACK_TOKENS = 1_000
const SLACK_MS = 60_000
const MARGIN = 2

function unitsOf(
  form: AudioForm,
  audio_ms: number,
  models: readonly string[],
): Pick<UnitOrder, 'held' | 'bounds' | 'input'> {
  const { bytes } = form.file
  const seconds = audio_ms / 1_000
  const input: Units = {
    ...NO_UNITS,
    audio_ms,
    input_tokens: estimateTokens(fieldOf(form, 'prompt') ?? ''),
    input_audio_tokens: Math.ceil(seconds * AUDIO_TOKENS_PER_S),
  }
  const estimate = { ...input, output_tokens: Math.ceil(seconds * TEXT_TOKENS_PER_S) }
  const held = { ...estimate, input_tokens: inputBound(boundOf(form, models), input.input_tokens) }
  // Servers count differently: they may cut silence or add it.
  const longest_ms = Math.max(audio_ms, (bytes.length / MIN_BYTES_PER_S) * 1_000) * MARGIN + SLACK_MS
  const most_tokens = Math.ceil((longest_ms / 1_000) * AUDIO_TOKENS_PER_S * MARGIN) + SLACK_TOKENS
  const most: Units = {
    ...estimate,
    audio_ms: Math.ceil(longest_ms),
    input_tokens: Math.max(most_tokens + input.input_tokens * 4, held.input_tokens),
    input_audio_tokens: most_tokens,
    output_tokens: most_tokens,
  }
  return { input, held, bounds: { estimate, most } }
}

/** The most that a transcription model reads. https://platform.openai.com/docs/models/gpt-4o-transcribe */
const MAX_INPUT_TOKENS = 16_000

/** Bounds the form's fields, taken as one object. They may hold short voice recordings as data URIs. */
const boundOf = ({ fields }: AudioForm, models: readonly string[]): number =>
  fields.reduce((sum, [name, value]) => {
    const { tokens, media } = applyBound(boundField, { [name]: value })
    return sum + tokens + boundMedia(media, models, MAX_INPUT_TOKENS)
  }, 0)

const boundField = fieldsBound({
  'known_speaker_references[]': mediumData((data) =>
    dataUriType(data) === undefined ? undefined : audioMedium(data),
  ),
})

/** A whole answer, or an open stream. Some models answer whole even if a stream was requested. */
type Answer = { whole: UnitAnswer } | { open: OpenAnswer }

async function serveTranscription(
  parts: CallParts,
  held: Held<TranscriptionOrder>,
  verb: Verb,
): Promise<Response> {
  const { form, streams } = held.order
  const { answer, ...dispatched } = await dispatchCall<Answer>(parts, held, {
    streams,
    write(attempt) {
      const { content_type, body } = writeAudioForm(form, attempt.model)
      const { path, headers } = verbsOf(parts, attempt, verb).target
      return requestTo(attempt, { path, headers: { ...headers, 'content-type': content_type } }, body)
    },
    async open(response, attempt, onProgress) {
      if (streams && isEvents(response.headers.get('content-type') ?? ''))
        return { open: await openEvents(parts, attempt, response, { piece: 'delta', onProgress }) }
      const text_format = textFormatOf(fieldOf(form, 'response_format'))
      return { whole: await readUnitAnswer(parts, held, response, attempt, { verb, text_format }) }
    },
  })
  if ('open' in answer)
    return servedStream(parts, held, { ...dispatched, answer: answer.open }, passing(held.order))
  const { whole } = answer
  return servedWhole(parts, held, { ...dispatched, answer: whole }, textBounds(held.order, whole.body.length))
}

/** Estimates unreported output from the text that arrived, at most what can be said in the audio, which the hold covers. */
const textBounds = ({ bounds, input, held }: TranscriptionOrder, text_bytes: number): UnitBounds => ({
  ...bounds,
  estimate: { ...input, output_tokens: Math.min(tokensOfBytes(text_bytes), held.output_tokens) },
})

function passing(order: TranscriptionOrder): PassingAnswer {
  const reading = new AudioStreamReading('delta')
  return {
    relay: passOn(reading, eventFrame()),
    reported: () => reading.units(),
    bounds: () => textBounds(order, reading.passed_bytes),
    delivered: () => reading.passed_bytes > 0,
  }
}
