// The reader of a native stream that passes through: it searches bytes, and parses JSON only for events that decide something.

import type { ReportedUsage } from '../../domain/usage.ts'
import { reportsError } from '../failures.ts'
import { LastUsage } from '../last-usage.ts'
import {
  addOutput,
  fields,
  NO_OUTPUT,
  nextContainer,
  SurroundingOutput,
  TEXT,
  tokensOfSums,
  zeroSums,
} from '../output-size.ts'
import type { StreamReading, StreamRules } from '../protocol.ts'
import { type ByteString, decodeByteString } from '../wire/byte-string.ts'
import { type JsonObject, objectIn, objectsIn, parseObject, stringIn } from '../wire/json.ts'
import { hasValue, quoted } from '../wire/json-text.ts'
import { AUDIO_TOKENS_PER_SECOND, estimateOutput, readUsage } from './usage.ts'

/** The output in a part, except calls and media, which are parsed. */
const PartShape = fields({
  text: TEXT,
  thoughtSignature: NO_OUTPUT,
  executableCode: fields({ code: TEXT, language: NO_OUTPUT, id: NO_OUTPUT }),
  codeExecutionResult: fields({ output: TEXT, outcome: NO_OUTPUT, id: NO_OUTPUT }),
  fileData: fields({ mimeType: NO_OUTPUT }),
})

/** A candidate without its parts, which are counted apart. */
const CandidateShape = fields({
  content: fields({ parts: NO_OUTPUT, role: NO_OUTPUT }),
  finishReason: NO_OUTPUT,
  finishMessage: NO_OUTPUT,
  safetyRatings: NO_OUTPUT,
  citationMetadata: NO_OUTPUT,
  groundingMetadata: NO_OUTPUT,
  groundingAttributions: NO_OUTPUT,
  urlContextMetadata: NO_OUTPUT,
  logprobsResult: NO_OUTPUT,
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
  readonly #written = zeroSums()
  readonly #beside = new SurroundingOutput(CandidateShape)
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
      const end = addOutput(data, start, PartShape, this.#written)
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
