// The last usage that a stream reported, read on demand, once: providers repeat it in every event.
import { inFull, outputTokens, promptTokens, type ReportedUsage } from '../domain/usage.ts'
import { type ByteString, decodeByteString } from './wire/byte-string.ts'
import { type JsonObject, parseObject } from './wire/json.ts'

export class LastUsage {
  readonly #read: (event: JsonObject) => ReportedUsage | undefined
  #event: ByteString | undefined
  /** The report before it, if it was not read yet. */
  #before: ByteString | undefined
  #usage: ReportedUsage | undefined
  /** The output that had passed with the event, and with the report before it. */
  #delivered_tokens = 0
  #delivered_before = 0

  constructor(read: (event: JsonObject) => ReportedUsage | undefined) {
    this.#read = read
  }

  /** @param event one with a usage @param delivered_tokens all output so far, the event's included */
  record(event: ByteString, delivered_tokens: number): void {
    this.#before = this.#event
    this.#delivered_before = this.#delivered_tokens
    this.#event = event
    this.#delivered_tokens = delivered_tokens
  }

  /**
   * The usage, by how much was delivered. A report from before half of the output is ignored for the output,
   * and for the prompt if all of that is zero: some servers start their streams so, and send no other. Zeros at last take nothing
   * back that was reported before: counts only grow.
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
