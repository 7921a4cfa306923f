// The last usage that a stream reported. Providers repeat it in every event, so it is parsed once, on demand.
import { inFull, outputTokens, promptTokens, type ReportedUsage } from '../domain/usage.ts'
import { type ByteString, decodeByteString } from './wire/byte-string.ts'
import { type JsonObject, parseObject } from './wire/json.ts'

export class LastUsage {
  readonly #read: (event: JsonObject) => ReportedUsage | undefined
  #event: ByteString | undefined
  /** The previous report, if it is still unread. */
  #before: ByteString | undefined
  #usage: ReportedUsage | undefined
  /** The output delivered up to the last event, and up to the previous report. */
  #delivered_tokens = 0
  #delivered_before = 0

  constructor(read: (event: JsonObject) => ReportedUsage | undefined) {
    this.#read = read
  }

  /** @param event an event with a usage @param delivered_tokens all output so far, including the event's */
  record(event: ByteString, delivered_tokens: number): void {
    this.#before = this.#event
    this.#delivered_before = this.#delivered_tokens
    this.#event = event
    this.#delivered_tokens = delivered_tokens
  }

  /**
   * The usage, given the delivered output. A report that came before half of the output is ignored for the output, and also for the
   * prompt if its counts are all zero: some servers begin their streams with such a report, and send no other. Final zeros do not
   * replace an earlier report: counts only grow.
   */
  of(delivered_tokens: number): ReportedUsage | undefined {
    if (this.#event !== undefined) this.#readLast(this.#event)
    const usage = this.#usage
    if (usage === undefined || delivered_tokens <= 2 * this.#delivered_tokens) return usage
    if (promptTokens(inFull(usage)) === 0) return undefined
    return {
      input_tokens: usage.input_tokens,
      input_audio_tokens: usage.input_audio_tokens,
      cache_read_tokens: usage.cache_read_tokens,
      cache_write_5m_tokens: usage.cache_write_5m_tokens,
      cache_write_1h_tokens: usage.cache_write_1h_tokens,
    }
  }

  #readLast(event: ByteString): void {
    const usage = this.#readEvent(event)
    const before = usage && isZero(usage) ? this.#readBefore() : undefined
    if (before) this.#delivered_tokens = this.#delivered_before
    this.#usage = before ?? usage
    this.#event = undefined
    this.#before = undefined
  }

  #readBefore(): ReportedUsage | undefined {
    return this.#before === undefined ? this.#usage : this.#readEvent(this.#before)
  }

  #readEvent(event: ByteString): ReportedUsage | undefined {
    return this.#read(parseObject(decodeByteString(event)) ?? {})
  }
}

const isZero = (reported: ReportedUsage): boolean => {
  const usage = inFull(reported)
  return promptTokens(usage) === 0 && outputTokens(usage) === 0
}
