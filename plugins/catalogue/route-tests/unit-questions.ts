// Test requests for models priced by units: a word to moderate or to speak, two documents to rerank, half a second of silence.

import { writeAudioForm } from '../../../src/calls/kinds/units/audio-form.ts'
import { UpstreamFault } from '../../../src/domain/errors.ts'
import type { UnitKind } from '../../../src/domain/units.ts'
import type { Protocol } from '../../../src/protocols/protocol.ts'
import type { UnitProtocol, UnitProtocols } from '../../../src/protocols/unit-calls.ts'
import { type JsonObject, parseAnswer } from '../../../src/protocols/wire/json.ts'
import { requestTo } from '../../../src/upstream/request.ts'
import type { Attempt } from '../../../src/upstream/routes.ts'
import type { UpstreamRequest } from '../../../src/upstream/transport.ts'

type TestAttempt = Pick<Attempt, 'provider' | 'model' | 'generation' | 'api_key'>

/** The test of a kind of models: writes the request, and reads a text from the answer. @throws UpstreamFault for an invalid answer */
export interface Question {
  timeout_ms: number
  write(protocol: Protocol, attempt: TestAttempt): UpstreamRequest
  read(protocol: Protocol, answer: string, content_type: string | null): string
  readFailure?(protocol: Protocol): Protocol['readFailure'] | undefined
}

const TIMEOUT_MS = 60_000
const WORD = 'OK'

/** @param list the field of the answer that must be a list */
const jsonQuestion = (verb: 'moderations' | 'rerank', fields: JsonObject, list: string): Question => ({
  timeout_ms: TIMEOUT_MS,
  write: (protocol, attempt) =>
    requestTo(attempt, verbsOf(protocol, verb).target, JSON.stringify({ model: attempt.model, ...fields })),
  read(_, answer) {
    if (!Array.isArray(parseAnswer(answer)[list])) throw new UpstreamFault(`the answer has no ${list}`)
    return ''
  },
})

export const UNIT_QUESTIONS: Readonly<Record<UnitKind, Question>> = {
  moderation: jsonQuestion('moderations', { input: WORD }, 'results'),
  rerank: jsonQuestion('rerank', { query: WORD, documents: [WORD, 'No.'] }, 'results'),
  speech: {
    timeout_ms: TIMEOUT_MS,
    write: (protocol, attempt) =>
      requestTo(
        attempt,
        verbsOf(protocol, 'speech').target,
        JSON.stringify({ model: attempt.model, input: WORD, voice: 'alloy' }),
      ),
    read(_, answer, type) {
      if (type !== null && !/^(audio\/|application\/(octet-stream|ogg))/i.test(type))
        throw new UpstreamFault(`the upstream sent ${type}, no audio`)
      if (answer === '') throw new UpstreamFault('the upstream sent an empty answer')
      return ''
    },
  },
  transcription: {
    timeout_ms: TIMEOUT_MS,
    write: writeTranscription,
    read(_, answer) {
      const { text } = parseAnswer(answer)
      if (typeof text !== 'string') throw new UpstreamFault('the answer has no text')
      return text
    },
  },
}

function verbsOf(protocol: Protocol, verb: keyof UnitProtocols): UnitProtocol {
  const verbs = protocol[verb]
  if (!verbs) throw new UpstreamFault(`the protocol has no ${verb}`)
  return verbs
}

function writeTranscription(protocol: Protocol, attempt: TestAttempt) {
  const file = { bytes: silence(), filename: 'silence.wav', mime: 'audio/wav' }
  const form = { file, fields: [['model', attempt.model] as const], sha256: '' }
  const { content_type, body } = writeAudioForm(form, attempt.model)
  const { path, headers } = verbsOf(protocol, 'transcriptions').target
  return requestTo(attempt, { path, headers: { ...headers, 'content-type': content_type } }, body)
}

const WAV_HEADER_BYTES = 44
const SAMPLE_BYTES = 2
const RATE = 16_000

/** Returns half a second of WAV: 16 kHz, 16 bits, one channel. */
function silence(): Uint8Array {
  const data_bytes = (RATE / 2) * SAMPLE_BYTES
  const wav = Buffer.alloc(WAV_HEADER_BYTES + data_bytes)
  wav.write('RIFF')
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(RATE, 24)
  wav.writeUInt32LE(RATE * SAMPLE_BYTES, 28)
  wav.writeUInt16LE(SAMPLE_BYTES, 32)
  wav.writeUInt16LE(SAMPLE_BYTES * 8, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(data_bytes, 40)
  return wav
}
