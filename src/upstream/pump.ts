// The flow of a stream's bytes from the upstream to the caller: back-pressure, the held-back end, and disconnects.
import { GatewayError, UpstreamFault } from '../domain/errors.ts'
import type { AbortListener, PlainSignal } from '../utilities/plain-signal.ts'
import { drain } from './drain.ts'
import { type Outlet, readableStream, socketStream } from './outlet.ts'
import type { Relay } from './relay.ts'
import { fromUpstream, reclaimOverlong } from './transport.ts'
import { turns } from './turns.ts'

/** The ending of a stream. `cancelled`: the caller disconnected. `broken`: the upstream failed, or the gateway gave up on it. */
export type StreamEnding = 'completed' | 'cancelled' | 'broken'

export interface ByteReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
}

/** An upstream's body, whose beginning may already be read. */
export interface OpenedBody {
  /** The part read so far. It may be half a megabyte, so it is released once it is passed on. */
  first?: Uint8Array | undefined
  /** The rest. */
  readonly reader: ByteReader
}

export interface PumpOptions {
  opened: OpenedBody
  relay: Relay
  /** Fires when the caller disconnects; with a GatewayError as its reason if the gateway ends the call. */
  gone: PlainSignal
  /** Ends the upstream's work. */
  abortUpstream: () => void
  /** The time for which an abandoned stream is read on for its usage; 0 to stop at once. */
  drain_timeout_ms: number
  /**
   * Charges for the delivered part. The last bytes wait for it. It logs its own failure.
   * @param cause the reason for a break @param has_reached_caller whether any of the stream has reached the caller
   */
  settle: (ending: StreamEnding, cause: unknown, has_reached_caller: boolean) => Promise<void>
  /** The record that reports a break to the caller, as JSON. */
  renderError: (cause: unknown) => string
  /** The reader: the caller's socket, or the gateway itself, which keeps the answer or puts it into another. */
  read_by: 'socket' | 'gateway'
  /** Called before each read, and when the caller falls behind, so that a stalled stream is noticed. */
  place?: { progressed(waiting_for: 'upstream' | 'caller'): void }
}

/**
 * One stream under way. A thousand flow at once, and each object that a chunk touches has to be fetched from memory: so all state
 * of a stream is in one object.
 */
class Pump implements AbortListener {
  readonly reader: ByteReader
  readonly relay: Relay
  readonly place: PumpOptions['place']
  /** Set when the reader starts to read. */
  outlet: Outlet | undefined
  held: Uint8Array | undefined
  /** Bytes that were read, and wait for further turns. */
  rest: Uint8Array | undefined
  step_weight = 0
  turns_in_a_row = 0
  /** A stream leaves `flowing` only once. */
  state: 'flowing' | 'ending' | 'over' = 'flowing'
  has_reached_caller = false
  /** Whether the caller has closed the stream: nothing more can be written to it. */
  closed = false
  /** The callbacks of each read and each wait, created once because every chunk uses them. */
  readonly onRead = ({ value }: { value?: Uint8Array | undefined }) => handleChunk(this, value)
  readonly onBreak = (cause: unknown) =>
    handleBreak(this, new UpstreamFault('the connection to the upstream broke', { cause }))
  readonly onCaughtUp = () => pull(this)
  readonly opened: OpenedBody
  /** Resolves when the reader starts to read. */
  readonly outlet_ready = Promise.withResolvers<Outlet>()
  readonly gone: PlainSignal
  readonly abortUpstream: () => void
  readonly drain_timeout_ms: number
  readonly settle: PumpOptions['settle']
  readonly renderError: PumpOptions['renderError']

  constructor(options: PumpOptions) {
    this.reader = options.opened.reader
    this.relay = options.relay
    this.place = options.place
    this.opened = options.opened
    this.gone = options.gone
    this.abortUpstream = options.abortUpstream
    this.drain_timeout_ms = options.drain_timeout_ms
    this.settle = options.settle
    this.renderError = options.renderError
  }

  /** Takes the part of the body that was read before the pump started. */
  takeFirst(): Uint8Array | undefined {
    const { first } = this.opened
    this.opened.first = undefined
    return first
  }

  takeRest(): Uint8Array | undefined {
    const { rest } = this
    this.rest = undefined
    return rest
  }

  async read(): Promise<Uint8Array | undefined> {
    const read = this.takeFirst() ?? this.takeRest()
    return read ?? (await fromUpstream(this.reader.read())).value
  }

  onAbort(): void {
    end(this)
  }

  /** Called when its turn comes. */
  goOn(): void {
    if (this.state === 'flowing') readOn(this)
  }
}

/**
 * The caller's stream. It reads from the upstream only as fast as the caller reads. After the event that completes the answer, the
 * newest bytes are held back until the call is settled: a caller gets the end of an answer only once it is paid.
 */
export function pump(options: PumpOptions): ReadableStream<Uint8Array> {
  const pumping = new Pump(options)
  options.gone.listen(pumping)
  if (options.gone.aborted) end(pumping)
  return (options.read_by === 'gateway' ? readableStream : socketStream)({
    onStart(outlet) {
      pumping.outlet = outlet
      pumping.outlet_ready.resolve(outlet)
      if (pumping.state !== 'flowing') return
      const first = pumping.takeFirst()
      if (first) handleChunk(pumping, first)
      else pull(pumping)
    },
    onCancel() {
      pumping.closed = true
      return abandon(pumping)
    },
  })
}

// The path of every chunk uses plain callbacks, because each async function on it costs about as much as the whole search of the chunk.

function pull(pumping: Pump): void {
  const { relay, state } = pumping
  if (state !== 'flowing') return
  if (relay.broken_by !== undefined) handleBreak(pumping, relay.broken_by)
  else if (relay.reading.failed) {
    const fault = 'the upstream reported an error inside its stream'
    handleBreak(pumping, new UpstreamFault(fault, { cause: relay.failed_event }))
  } else {
    pumping.place?.progressed('upstream')
    if (turns.must_wait) turns.wait(pumping)
    else readOn(pumping)
  }
}

function readOn(pumping: Pump): void {
  const rest = pumping.takeRest()
  if (rest) handleChunk(pumping, rest)
  else void pumping.reader.read().then(pumping.onRead, pumping.onBreak)
}

/** The part of a chunk that fits into one turn; all of it once the stream is no longer flowing. */
function beginningOf(pumping: Pump, chunk: Uint8Array): Uint8Array {
  const end = turns.spend(pumping, chunk)
  if (end === chunk.length || pumping.state !== 'flowing') return chunk
  pumping.rest = chunk.subarray(end)
  return chunk.subarray(0, end)
}

function handleChunk(pumping: Pump, chunk: Uint8Array | undefined): void {
  try {
    const bytes = chunk && release(pumping, beginningOf(pumping, chunk))
    if (pumping.state === 'over') return
    if (!chunk) handleEnd(pumping)
    else if (!bytes) pull(pumping)
    else writeChunk(pumping, bytes)
  } catch (cause) {
    reclaimOverlong(cause)
    handleBreak(pumping, cause)
  }
}

/** Copies a short rest: a view would keep its whole chunk in memory for as long as the caller stalls. */
const withoutChunk = (rest: Uint8Array): Uint8Array =>
  2 * rest.length < rest.buffer.byteLength ? rest.slice() : rest

function writeChunk(pumping: Pump, bytes: Uint8Array): void {
  const behind = pumping.outlet?.write(bytes)
  pumping.has_reached_caller = true
  if (behind) {
    pumping.rest = pumping.rest && withoutChunk(pumping.rest)
    pumping.place?.progressed('caller')
    // Ignored: the reader disconnected, which the outlet and the caller's signal report.
    void behind.then(pumping.onCaughtUp, () => undefined)
  } else pull(pumping)
}

/** The bytes to send for a chunk. Once the answer is complete, these are the bytes of the previous chunk. */
function release(pumping: Pump, chunk: Uint8Array): Uint8Array | undefined {
  const { relay } = pumping
  const bytes = relay.push(chunk)
  if (!bytes || !(relay.reading.finished || relay.ends_with_body)) return bytes
  const released = pumping.held
  pumping.held = bytes
  return released
}

function handleEnd(pumping: Pump): void {
  const { relay } = pumping
  if (relay.reading.finished || relay.ends_with_body) {
    const finishing = finish(pumping).catch((cause) => fail(pumping, cause))
    cutOnFailure(pumping, finishing)
  } else
    handleBreak(pumping, new UpstreamFault('the upstream ended its stream before its answer was complete'))
}

function handleBreak(pumping: Pump, cause: unknown): void {
  if (pumping.state === 'over') return
  const { reading } = pumping.relay
  // A connection that drops after the answer's last event has still delivered all of it.
  if (reading.finished && !reading.failed) handleEnd(pumping)
  else cutOnFailure(pumping, fail(pumping, cause))
}

/** Cuts the stream off if the work at its end fails, which is a bug of the gateway: no error can be sent any more. */
function cutOnFailure({ outlet_ready }: Pump, work: Promise<void>): void {
  work.catch(async (bug: Error) => (await outlet_ready.promise).cut(bug))
}

/** Writes the last bytes, without waiting for the reader. */
function writeLast(outlet: Outlet | undefined, bytes: Uint8Array): void {
  // Ignored: the reader disconnected, as in `writeChunk`.
  void outlet?.write(bytes)?.catch(() => undefined)
}

/**
 * Settles the call, then sends the held-back bytes: if the answer cannot be paid, nobody gets them. An end that cannot be translated
 * throws before the settlement.
 */
async function finish(pumping: Pump): Promise<void> {
  pumping.state = 'ending'
  const end_of_answer = [pumping.held, pumping.relay.end()]
  pumping.held = undefined
  await pumping.settle('completed', undefined, pumping.has_reached_caller)
  if (pumping.closed) return
  for (const bytes of end_of_answer) if (bytes) writeLast(pumping.outlet, bytes)
  pumping.outlet?.close()
}

/** Settles for the delivered part, and reports the error to the caller, who is still connected. */
async function fail(pumping: Pump, cause: unknown): Promise<void> {
  if (pumping.state === 'over') return
  pumping.state = 'over'
  pumping.abortUpstream()
  try {
    await pumping.settle('broken', cause, pumping.has_reached_caller)
  } catch {
    // The settlement has logged its failure and is retried. The bytes that it would have paid for are not sent.
    pumping.held = undefined
  }
  const outlet = await pumping.outlet_ready.promise
  if (pumping.closed) return
  if (pumping.held) writeLast(outlet, pumping.held)
  const record = pumping.relay.fail(pumping.renderError(cause))
  if (!record) return outlet.cut(new Error('the upstream broke its answer off'))
  writeLast(outlet, record)
  outlet.close()
}

async function abandon(pumping: Pump): Promise<void> {
  if (pumping.state !== 'flowing') return
  pumping.state = 'over'
  // A caller who stalled for too long is still connected: the answer is cut off, so that they do not wait for more.
  if (!pumping.closed)
    void pumping.outlet_ready.promise.then(({ cut }) => cut(new Error('the caller left, or stalled')))
  const { drain_timeout_ms } = pumping
  const cause = drain_timeout_ms > 0 ? await drain(pumping, drain_timeout_ms) : undefined
  pumping.abortUpstream()
  // The settlement logs its own failure and is retried.
  await pumping.settle('cancelled', cause, pumping.has_reached_caller).catch(() => undefined)
}

/** Ends the stream when the caller disconnects, or the gateway ends the call with an error. A stream in settlement goes on. */
function end(pumping: Pump): void {
  const { reason } = pumping.gone
  if (pumping.state !== 'flowing') return
  // Only the caller's stream can fail here, because the caller closed it.
  if (reason instanceof GatewayError) void fail(pumping, reason).catch(() => undefined)
  else void abandon(pumping)
}
