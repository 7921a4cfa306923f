// The reader of a streamed chat completion that passes through: it searches bytes, and parses JSON only for chunks that decide something.

import type { ReportedUsage } from '../../domain/usage.ts'
import { plainMessage, reportsError } from '../failures.ts'
import { LastUsage } from '../last-usage.ts'
import {
  addLongestForm,
  addOutput,
  nextContainer,
  SurroundingOutput,
  sumFor,
  TEXT,
  tokensOfSums,
  zeroSums,
} from '../output-size.ts'
import type { StreamReading, StreamRules } from '../protocol.ts'
import { type ByteString, decodeByteString } from '../wire/byte-string.ts'
import { type JsonObject, jsonByteString, objectsIn, parseObject } from '../wire/json.ts'
import { hasValue, quoted } from '../wire/json-text.ts'
import { DONE } from '../wire/sse.ts'
import { AUDIO_TOKENS_PER_SECOND, BesideDeltaShape, ChoiceShape, MessageShape } from './output-fields.ts'
import { isFailure, ownStop } from './stop-reasons.ts'
import { readUsage } from './usage.ts'
import { BESIDE_NAMES, COUNT_NAMES } from './usage-places.ts'

const USAGE = quoted('usage')
const COUNTS = COUNT_NAMES.map(quoted)
/** Other places of a usage, which only the last chunk has. */
const BESIDE_USAGE = BESIDE_NAMES.map(quoted)
const FINISH = quoted('finish_reason')
const ERROR = quoted('error')
const DELTA = quoted('delta')
const CHOICES = quoted('choices')

class OpenaiStreamReading implements StreamReading {
  finished = false
  failed = false
  readonly #usage = new LastUsage(readUsage)
  readonly #written = zeroSums()
  readonly #beside = new SurroundingOutput(BesideDeltaShape)
  /** Whether any delta had content: a later message then repeats it. */
  #has_content = false

  read(data: ByteString): void {
    if (data === DONE) {
      this.finished = true
      return
    }
    const is_last = hasValue(data, FINISH)
    if (is_last || data.includes(ERROR)) this.#conclude(data)
    if (!this.failed) this.#count(data)
    const has_usage = hasValue(data, USAGE) && COUNTS.some((key) => hasValue(data, key))
    if (has_usage || (is_last && BESIDE_USAGE.some((key) => hasValue(data, key))))
      this.#usage.record(data, this.deliveredTokens())
  }

  usage(): ReportedUsage | undefined {
    return this.#usage.of(this.deliveredTokens())
  }

  deliveredTokens(): number {
    return tokensOfSums(this.#written, AUDIO_TOKENS_PER_SECOND)
  }

  /** Counts each choice's delta and the fields beside it; without deltas, all fields of the choices. */
  #count(data: ByteString): void {
    const choices = () => nextContainer(data, CHOICES, 0)
    let delta_bytes = 0
    let start = nextContainer(data, DELTA, 0)
    if (start < 0) {
      const from = choices()
      if (from < 0) this.#readOther(data)
      else addOutput(data, from, this.#has_content ? BesideDeltaShape : ChoiceShape, this.#written)
      addLongestForm(this.#written)
      return
    }
    while (start >= 0) {
      const end = addOutput(data, start, MessageShape, this.#written)
      addLongestForm(this.#written)
      delta_bytes += end - start
      start = nextContainer(data, DELTA, end)
    }
    this.#has_content ||= sumFor(this.#written, TEXT) > 0
    this.#beside.add(data, delta_bytes, choices, this.#written)
  }

  /** Checks a chunk without choices before the end: if it has no usage, it may be a failure in the server's own format. */
  #readOther(data: ByteString): void {
    if (this.finished || hasValue(data, CHOICES) || hasValue(data, USAGE)) return
    const chunk = parseObject(decodeByteString(data))
    if (chunk && isOwnFailure(chunk)) this.failed = true
  }

  #end(choices: readonly JsonObject[]): void {
    if (choices.some(({ finish_reason }) => isFailure(finish_reason))) this.failed = true
    else if (choices.some(({ finish_reason }) => ownStop(finish_reason) !== undefined)) this.finished = true
  }

  #conclude(data: ByteString): void {
    const chunk = parseObject(decodeByteString(data))
    // A chunk that is not JSON is broken, and may be a truncated error.
    if (chunk === undefined || reportsError(chunk)) this.failed = true
    else this.#end(objectsIn(chunk.choices))
  }
}

/** Zhipu's `{ code, msg, success }`, Baidu's `{ error_code, error_msg }`. A message alone may report progress. */
const isOwnFailure = (chunk: JsonObject): boolean =>
  plainMessage(chunk) !== undefined &&
  (chunk.success === false || [chunk.code, chunk.error_code].some((code) => !GOOD_CODES.has(code)))
const GOOD_CODES: ReadonlySet<unknown> = new Set([undefined, null, 0, 200, '', '0', '200'])

/**
 * Removes the usage from a chunk, for callers who did not request it. OpenAI reports it in a chunk without choices; other servers report
 * it in their last choice's chunk, or in every chunk.
 *
 * @returns the same bytes if the chunk has no usage; undefined if nothing else is left
 */
export function withoutUsage(data: ByteString): ByteString | undefined {
  if (!hasValue(data, USAGE)) return data
  const chunk = parseObject(decodeByteString(data))
  const { usage, ...rest } = chunk ?? {}
  if (usage === undefined || usage === null) return data
  return Array.isArray(rest.choices) && rest.choices.length === 0 ? undefined : jsonByteString(rest)
}

export const stream: StreamRules = { open: () => new OpenaiStreamReading() }
