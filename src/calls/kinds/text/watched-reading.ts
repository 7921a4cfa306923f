// A stream reading with a second observer of its events.
import type { StreamReading } from '../../../protocols/protocol.ts'
import type { ByteString } from '../../../protocols/wire/byte-string.ts'

export class WatchedReading implements StreamReading {
  readonly #reading: StreamReading
  readonly #watch: (data: ByteString) => void

  /** @param watch called with each event, after `reading` has read it */
  constructor(reading: StreamReading, watch: (data: ByteString) => void) {
    this.#reading = reading
    this.#watch = watch
  }

  read(data: ByteString): void {
    this.#reading.read(data)
    this.#watch(data)
  }

  get finished(): boolean {
    return this.#reading.finished
  }

  get failed(): boolean {
    return this.#reading.failed
  }

  usage() {
    return this.#reading.usage()
  }

  deliveredTokens(): number {
    return this.#reading.deliveredTokens()
  }
}
