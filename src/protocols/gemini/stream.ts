// Reads a native stream while it passes through: it searches bytes, and parses JSON only for events that decide something.

import type { ReportedUsage } from '../../domain/usage.ts'
import { reportsError } from '../failures.ts'
import { LastUsage } from '../last-usage.ts'
import type { StreamReading, StreamRules } from '../protocol.ts'
import { type ByteString, decodeByteString } from '../wire/byte-string.ts'
import { type JsonObject, objectIn, objectsIn, parseObject, stringIn } from '../wire/json.ts'
import { hasValue, quoted } from '../wire/json-text.ts'
import {
  addWritten,
  fields,
  NOTHING,
  nextContainer,
  noSums,
  TEXT,
  tokensOfSums,
  WrittenBeside,
} from '../written.ts'
import { AUDIO_TOKENS_PER_SECOND, estimateOutput, readUsage } from './usage.ts'

/** The output in a part, except calls and media, which are parsed. */
const PartShape = fields({
  text: TEXT,
  thoughtSignature: NOTHING,
  executableCode: fields({ code: TEXT, language: NOTHING, id: NOTHING }),
  codeExecutionResult: fields({ output: TEXT, outcome: NOTHING, id: NOTHING }),
  fileData: fields({ mimeType: NOTHING }),
})

/** A candidate without its parts, which are counted apart. */
const CandidateShape = fields({
  content: fields({ parts: NOTHING, role: NOTHING }),
  finishReason: NOTHING,
  finishMessage: NOTHING,
  safetyRatings: NOTHING,
  citationMetadata: NOTHING,
  groundingMetadata: NOTHING,
  groundingAttributions: NOTHING,
  urlContextMetadata: NOTHING,
  logprobsResult: NOTHING,
})

const USAGE = quoted('usageMetadata')
/** The end of every count's key. Vertex AI's events may have a usage without counts. */
const COUNT = 'TokenCount"'
const PARTS = quoted('parts')
const CANDIDATES = quoted('candidates')
const ERROR = quoted('error')
/** Keys that end a stream. An event with such text is parsed to confirm that it is a key. */
const ENDING_KEYS = ['finishReason', 'blockReason', 'error']
const ENDINGS = ENDING_KEYS.map(quoted)
/** Keys of parts that have to be parsed: a call's arguments may contain any key. */
const PARSED_KEYS = ['functionCall', 'inlineData']
const PARSED = PARSED_KEYS.map(quoted)
/** All of these keys in one search, which finds nothing in almost every event. Quotes in each branch would triple its time. */
const SPECIAL = new RegExp(`"(?:${[...ENDING_KEYS, ...PARSED_KEYS].join('|')})"`)

/** Reads one stream. The first candidate that ends finishes it; later reports are still read. */
class GeminiStreamReading implements StreamReading {
  finished = false
  failed = false
  readonly #usage = new LastUsage(readUsage)
  readonly #written = noSums()
  readonly #beside = new WrittenBeside(CandidateShape)
  #other_tokens = 0

  read(data: ByteString): void {
    if (!SPECIAL.test(data)) this.#readSearched(data)
    else if (PARSED.some((key) => data.includes(key))) this.#readParsed(data)
    else this.#readEnding(data)
  }

  usage(): ReportedUsage | undefined {
    return this.#usage.of(this.deliveredTokens())
  }

  deliveredTokens(): number {
    return tokensOfSums(this.#written, AUDIO_TOKENS_PER_SECOND) + this.#other_tokens
  }

  #readEnding(data: ByteString): void {
    if (ENDINGS.some((key) => hasValue(data, key)) || data.includes(ERROR))
      this.#conclude(data, parseObject(decodeByteString(data)))
    if (!this.failed) this.#readSearched(data)
  }

  #readSearched(data: ByteString): void {
    this.#count(data)
    if (hasValue(data, USAGE) && data.includes(COUNT)) this.#usage.record(data, this.deliveredTokens())
  }

  /** Counts the output in the parts, and in the candidates' other fields. */
  #count(data: ByteString): void {
    let part_bytes = 0
    let start = nextContainer(data, PARTS, 0)
    while (start >= 0) {
      const end = addWritten(data, start, PartShape, this.#written)
      part_bytes += end - start
      start = nextContainer(data, PARTS, end)
    }
    this.#beside.add(data, part_bytes, () => nextContainer(data, CANDIDATES, 0), this.#written)
  }

  #readParsed(data: ByteString): void {
    const event = parseObject(decodeByteString(data))
    this.#conclude(data, event)
    if (this.failed || event === undefined) return
    this.#other_tokens += estimateOutput(event)
    if (readUsage(event) !== undefined) this.#usage.record(data, this.deliveredTokens())
  }

  /** Records an end or an error. An event that cannot be parsed but mentions an error counts as one, and is not passed on. */
  #conclude(data: ByteString, event: JsonObject | undefined): void {
    if (event === undefined) {
      if (hasValue(data, ERROR)) this.failed = true
      return
    }
    const { blockReason } = objectIn(event.promptFeedback)
    const ended = objectsIn(event.candidates).some(({ finishReason }) => stringIn(finishReason) !== undefined)
    if (reportsError(event)) this.failed = true
    else if (ended || stringIn(blockReason) !== undefined) this.finished = true
  }
}

export const stream: StreamRules = { open: () => new GeminiStreamReading() }
