// The reader of a stream of OpenAI's audio endpoints that passes through: pieces of audio or text, and an end with the usage.
// https://platform.openai.com/docs/api-reference/audio/speech-audio-delta-event
import type { ReportedUnits } from '../../domain/units.ts'
import { reportsError } from '../failures.ts'
import type { StreamReading } from '../protocol.ts'
import { tokensOfBytes } from '../token-sums.ts'
import { type ByteString, decodeByteString } from '../wire/byte-string.ts'
import { parseObject } from '../wire/json.ts'
import { closingQuote, nextStringValue, quoted } from '../wire/json-text.ts'
import { DONE } from '../wire/sse.ts'
import { readAudioUnits } from './audio-usage.ts'

const ERROR = quoted('error')
const ENDS = ['speech.audio.done', 'transcript.text.done'].map(quoted)

/** The key of the content in an event. */
export type AudioPiece = 'audio' | 'delta'

/** Counts the bytes of a stream's content, in base64 or as text. */
export class AudioStreamReading implements StreamReading {
  finished = false
  failed = false
  /** The bytes of all values under the key so far. */
  passed_bytes = 0
  readonly #piece: ByteString
  readonly #look: ((value: ByteString) => void) | undefined
  #units: ReportedUnits | undefined

  /** @param piece the key of the content @param look called with each such value, escaped as in the JSON */
  constructor(piece: AudioPiece, look?: (value: ByteString) => void) {
    this.#piece = quoted(piece)
    this.#look = look
  }

  read(data: ByteString): void {
    if (data === DONE) {
      this.finished = true
      return
    }
    if (data.includes(ERROR) || ENDS.some((end) => data.includes(end))) this.#conclude(data)
    if (this.failed) return
    let start = nextStringValue(data, this.#piece, 0)
    while (start >= 0) {
      const end = closingQuote(data, start)
      if (end < 0) return
      this.passed_bytes += end - start
      this.#look?.(data.slice(start, end))
      start = nextStringValue(data, this.#piece, end)
    }
  }

  units(): ReportedUnits | undefined {
    return this.#units
  }

  /** Audio is not billed as a text model's tokens. */
  usage(): undefined {
    return undefined
  }

  deliveredTokens(): number {
    return tokensOfBytes(this.passed_bytes)
  }

  #conclude(data: ByteString): void {
    const event = parseObject(decodeByteString(data))
    if (event === undefined || reportsError(event)) this.failed = true
    else if (typeof event.type === 'string' && event.type.endsWith('.done')) {
      this.finished = true
      this.#units = readAudioUnits(event) ?? this.#units
    }
  }
}
