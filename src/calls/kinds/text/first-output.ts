// The beginning of a stream, held back until its first output: until then another route may still answer.
import type { Protocol, StreamReading } from '../../../protocols/protocol.ts'
import { type ByteString, decodeByteString, toByteString } from '../../../protocols/wire/byte-string.ts'
import { isTooDeep } from '../../../protocols/wire/json-text.ts'
import { EventCutter, EventWalk, isNoEvent } from '../../../protocols/wire/sse.ts'
import { reportedFailure } from '../../../upstream/failures.ts'
import type { ByteReader, OpenedBody } from '../../../upstream/pump.ts'
import { fromUpstream } from '../../../upstream/transport.ts'
import type { Deadlines } from '../../../utilities/deadlines.ts'

/** How long a stream whose first event is there may be without output, before it is passed on as it is. */
const MAX_WAIT_MS = 5_000
/** Beginnings are short; longer ones are passed on. */
const MAX_BEGINNING_BYTES = 64 * 1024

/** A stream that ended without output, for a judge who may throw. */
interface SilentStream {
  readonly events: readonly ByteString[]
  readonly reading: StreamReading
}

/**
 * Waits for the first output of a stream whose first event was read.
 * @param judge called for a stream that ended without any
 * @throws ReportedFailure for an error before any output; what `judge` throws
 */
export async function awaitOutput(
  deadlines: Deadlines,
  { first, reader }: OpenedBody,
  protocol: Protocol,
  judge: (stream: SilentStream) => Promise<void>,
): Promise<OpenedBody> {
  const beginning = new Beginning(protocol)
  if (first) beginning.take(first)
  if (beginning.has_output) return { first, reader }
  const time = Promise.withResolvers<'late'>()
  const deadline = { onDue: () => time.resolve('late') }
  deadlines.set(deadline, MAX_WAIT_MS)
  try {
    while (!beginning.has_output) {
      const next = reader.read()
      const read = await fromUpstream(Promise.race([next, time.promise]))
      if (read === 'late') return { first: beginning.bytes, reader: resumed(next, reader) }
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

/** A reader that first gives what is being read already. */
function resumed(next: ReturnType<ByteReader['read']>, reader: ByteReader): ByteReader {
  // If nobody reads on, its failure concerns nobody.
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

  /** Whether it is to be passed on: for its output, or because it is no beginning any more. */
  get has_output(): boolean {
    return this.#is_broken || this.#read_bytes > MAX_BEGINNING_BYTES || this.reading.deliveredTokens() > 0
  }

  /** @throws ReportedFailure for an error before any output */
  take(chunk: Uint8Array): void {
    this.#read.push(chunk)
    this.#read_bytes += chunk.length
    const whole = this.#cutter.cut(chunk)
    if (!whole) return
    const walk = new EventWalk(toByteString(whole))
    while (!this.has_output && walk.next()) {
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
