// The beginning of a stream, held back until its first output. Until then, another route may still answer.
import type { Protocol, StreamReading } from '../../../protocols/protocol.ts'
import { type ByteString, decodeByteString, toByteString } from '../../../protocols/wire/byte-string.ts'
import { isTooDeep } from '../../../protocols/wire/json-text.ts'
import { EventCutter, EventWalk, isNoEvent } from '../../../protocols/wire/sse.ts'
import { reportedFailure } from '../../../upstream/failures.ts'
import type { ByteReader, OpenedBody } from '../../../upstream/pump.ts'
import { fromUpstream } from '../../../upstream/transport.ts'
import type { Deadlines } from '../../../utilities/deadlines.ts'

/** The longest wait for output after a stream's first event; after that the beginning is passed on. */
const MAX_WAIT_MS = 5_000
/** Longer beginnings are passed on. */
const MAX_BEGINNING_BYTES = 64 * 1024

/** A stream that ended without output. */
interface SilentStream {
  readonly events: readonly ByteString[]
  readonly reading: StreamReading
}

/**
 * Waits for the first output of a stream whose first event was read.
 * @param judge called for a stream that ended without output; may throw
 * @throws ReportedFailure for an error before any output; as `judge`
 */
export async function awaitOutput(
  deadlines: Deadlines,
  { first, reader }: OpenedBody,
  protocol: Protocol,
  judge: (stream: SilentStream) => Promise<void>,
): Promise<OpenedBody> {
  const beginning = new Beginning(protocol)
  if (first) beginning.take(first)
  if (beginning.is_ready) return { first, reader }
  const time = Promise.withResolvers<'late'>()
  const deadline = { onDue: () => time.resolve('late') }
  deadlines.set(deadline, MAX_WAIT_MS)
  try {
    while (!beginning.is_ready) {
      const next = reader.read()
      const read = await fromUpstream(Promise.race([next, time.promise]))
      if (read === 'late') return { first: beginning.bytes, reader: readerFrom(next, reader) }
      if (!read.value) {
        await judge(beginning)
        break
      }
      beginning.take(read.value)
    }
    return { first: beginning.bytes, reader }
  } finally {
    deadlines.clear(deadline)
  }
}

/** Returns a reader whose first read is the one that already runs. */
function readerFrom(next: ReturnType<ByteReader['read']>, reader: ByteReader): ByteReader {
  // If nothing reads on, its failure must not become an unhandled rejection.
  next.catch(() => undefined)
  let waiting: typeof next | undefined = next
  return {
    read() {
      const reads = waiting ?? reader.read()
      waiting = undefined
      return reads
    },
  }
}

/** The part of a stream before its first output. */
class Beginning implements SilentStream {
  readonly events: ByteString[] = []
  readonly reading: StreamReading
  readonly #protocol: Protocol
  readonly #cutter = new EventCutter()
  readonly #read: Uint8Array[] = []
  #read_bytes = 0
  #is_broken = false

  constructor(protocol: Protocol) {
    this.#protocol = protocol
    this.reading = protocol.text.stream.open()
  }

  get bytes(): Uint8Array | undefined {
    return this.#read.length > 1 ? Buffer.concat(this.#read) : this.#read[0]
  }

  /** Whether to pass it on: it has output, is broken, or is longer than a beginning. */
  get is_ready(): boolean {
    return this.#is_broken || this.#read_bytes > MAX_BEGINNING_BYTES || this.reading.deliveredTokens() > 0
  }

  /** @throws ReportedFailure for an error before any output */
  take(chunk: Uint8Array): void {
    this.#read.push(chunk)
    this.#read_bytes += chunk.length
    const whole = this.#cutter.cut(chunk)
    if (!whole) return
    const walk = new EventWalk(toByteString(whole))
    while (!this.is_ready && walk.next()) {
      if (isNoEvent(walk.data)) continue
      if (isTooDeep(walk.data)) {
        this.#is_broken = true
        return
      }
      this.events.push(walk.data)
      this.reading.read(walk.data)
      if (this.reading.failed && this.reading.deliveredTokens() === 0)
        throw reportedFailure(this.#protocol, decodeByteString(walk.data))
    }
  }
}
