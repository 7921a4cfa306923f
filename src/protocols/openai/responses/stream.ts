// A streamed response, read as it passes: bytes are searched, and JSON is parsed only where it decides something.
import type { ReportedUsage } from '../../../domain/usage.ts'
import type { StreamReading, StreamRules } from '../../protocol.ts'
import { reportsError } from '../../reported-error.ts'
import { type ByteString, decodeByteString } from '../../wire/byte-string.ts'
import { parseObject, stringIn } from '../../wire/json.ts'
import { hasValue, quoted } from '../../wire/json-text.ts'
import { WrittenItems } from './items-written.ts'
import { readUsage } from './usage.ts'

const ERROR = quoted('error')
/** The type of an event that concludes a stream. Only these, and deltas with the same text, are parsed. */
const CONCLUDING = /"type"\s*:\s*"(?:response\.(?:completed|incomplete|failed)|error)"/
const COMPLETE: ReadonlySet<string | undefined> = new Set(['response.completed', 'response.incomplete'])
const FAILED = 'response.failed'

class ResponseReading implements StreamReading {
  finished = false
  failed = false
  #usage: ReportedUsage | undefined
  readonly #written = new WrittenItems()

  read(data: ByteString): void {
    const is_delta = this.#written.addDelta(data)
    if (CONCLUDING.test(data) || hasValue(data, ERROR)) this.#conclude(data, is_delta)
    else if (!is_delta) this.#written.addEvent(parseObject(decodeByteString(data)) ?? {})
  }

  usage(): ReportedUsage | undefined {
    return this.#usage
  }

  deliveredTokens(): number {
    return this.#written.tokens()
  }

  #conclude(data: ByteString, is_delta: boolean): void {
    const event = parseObject(decodeByteString(data))
    const type = stringIn(event?.type)
    if (event === undefined || type === FAILED || reportsError(event)) this.failed = true
    else if (COMPLETE.has(type)) {
      this.finished = true
      this.#usage = readUsage(event)
      this.#written.concluded(event)
    } else if (!is_delta) this.#written.addEvent(event)
  }
}

export const stream: StreamRules = { open: () => new ResponseReading() }
