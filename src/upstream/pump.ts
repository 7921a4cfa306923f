// Owns the way of a stream's bytes from the upstream to the caller: back-pressure, the held-back end, and who leaves first.
import { GatewayError } from '../domain/errors.ts'
import type { Relay } from './relay.ts'

/** How a stream ended. `cancelled`: the caller left. `broken`: the upstream failed, or the gateway gave up on it. */
export type StreamEnding = 'completed' | 'cancelled' | 'broken'

/** What is read of an upstream's body. */
export interface ByteReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
}

export interface PumpOptions {
  /** The first bytes, which have already been awaited. */
  first: Uint8Array
  reader: ByteReader
  relay: Relay
  /** Fires when the caller has gone; with a GatewayError as its reason where the gateway ends the call. */
  gone: AbortSignal
  /** Ends the upstream's work. */
  abortUpstream: () => void
  /** How long an abandoned stream is read on, for its usage; 0: not at all. */
  drain_timeout_ms: number
  /** Pays for what passed. The last bytes wait for it. Called exactly once. */
  settle: (ending: StreamEnding, cause?: unknown) => Promise<void>
  /** The record that tells the caller of a break, as JSON. */
  renderError: (cause: unknown) => string
  /** Told of every move, so that a stream which stands still can be noticed. */
  onProgress?: (waiting_for: 'upstream' | 'caller') => void
}

/**
 * The caller's stream. It takes from the upstream only what the caller takes. From the event on that says the answer is
 * complete, the newest bytes are held back until the call is settled: an answer that ended was paid for.
 */
export function pump(options: PumpOptions): ReadableStream<Uint8Array> {
  const { reader, relay, gone, onProgress } = options
  const { reading } = relay
  let first: Uint8Array | undefined = options.first
  let held: Uint8Array | undefined
  let state: 'flowing' | 'ending' | 'over' = 'flowing'

  /** What a chunk lets out: from the end of the answer on, always what came before it. */
  function release(chunk: Uint8Array): Uint8Array | undefined {
    const bytes = relay.push(chunk)
    if (!bytes || !reading.finished) return bytes
    const released = held
    held = bytes
    return released
  }

  /**
   * Settles, then hands out what was held back: where it cannot be paid, nobody gets it. An end that cannot be translated
   * throws before it is paid.
   */
  async function finish(): Promise<void> {
    state = 'ending'
    const end_of_answer = [held, relay.end()]
    held = undefined
    await options.settle('completed')
    for (const bytes of end_of_answer) if (bytes) stream.enqueue(bytes)
    stream.close()
  }

  /** Settles what was delivered, and tells the caller, who is still there. */
  async function fail(cause: unknown): Promise<void> {
    if (state === 'over') return
    state = 'over'
    options.abortUpstream()
    await options.settle('broken', cause).catch(() => {
      held = undefined
    })
    if (held) stream.enqueue(held)
    stream.enqueue(relay.fail(options.renderError(cause)))
    stream.close()
  }

  async function leave(): Promise<void> {
    if (state !== 'flowing') return
    state = 'over'
    // Who stood still for too long is still connected: his answer breaks off, so that he does not wait for more.
    stream.error(new Error('the caller left, or stood still'))
    if (options.drain_timeout_ms > 0) await drain()
    options.abortUpstream()
    await options.settle('cancelled').catch(() => undefined)
  }

  /** Reads on without a caller, until the stream ends or its time is up. */
  async function drain(): Promise<void> {
    const timer = setTimeout(options.abortUpstream, options.drain_timeout_ms)
    try {
      for (let chunk = await read(); chunk && !reading.failed; chunk = await read()) {
        relay.push(chunk)
        onProgress?.('upstream')
      }
    } catch {
      // What was read until here is what can be charged.
    } finally {
      clearTimeout(timer)
    }
  }

  async function read(): Promise<Uint8Array | undefined> {
    const chunk = first
    first = undefined
    return chunk ?? (await reader.read()).value
  }

  // The way of every chunk: plain callbacks, for each async function on it costs about as much as all that is searched.

  function pull(): Promise<void> | void {
    if (reading.failed) return broke(new Error('the upstream reported an error inside its stream'))
    onProgress?.('upstream')
    if (first === undefined) return reader.read().then(received, broke)
    const value = first
    first = undefined
    return received({ value })
  }

  function received({ value }: { value?: Uint8Array | undefined }): Promise<void> | void {
    if (!value) return state === 'over' ? undefined : ended()
    try {
      const bytes = release(value)
      if (state === 'over') return
      if (!bytes) return pull()
      stream.enqueue(bytes)
      onProgress?.('caller')
    } catch (cause) {
      return broke(cause)
    }
  }

  function ended(): Promise<void> {
    if (!reading.finished)
      return broke(new Error('the upstream ended its stream before its answer was complete'))
    return finish().catch(fail)
  }

  async function broke(cause: unknown): Promise<void> {
    if (state === 'over') return
    // A connection that is dropped after the answer's last event has still delivered all of it.
    if (reading.finished && !reading.failed) await ended()
    else await fail(cause)
  }

  /** Either the caller is no longer there, or the gateway ends the call, and then it says why. What is being paid is not broken off. */
  function end(): void {
    const { reason } = gone
    if (state !== 'flowing') return
    if (reason instanceof GatewayError) void fail(reason).catch(() => undefined)
    else void leave()
  }

  let stream: ReadableStreamDefaultController<Uint8Array>
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    stream = controller
    gone.addEventListener('abort', end, { once: true })
    if (gone.aborted) end()
  }
  return new ReadableStream<Uint8Array>({ start, pull, cancel: leave }, { highWaterMark: 1 })
}
