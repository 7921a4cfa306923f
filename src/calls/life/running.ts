// The running calls: their deadlines, their sockets' timeouts, and the wait for them when the process stops.
import { type GatewayError, overloaded } from '../../domain/errors.ts'
import type { Arriving } from '../../http/sockets.ts'
import { PlainSignal } from '../../utilities/plain-signal.ts'

/** The source of a call's next progress; at first, the rest of its own request. */
type WaitingFor = 'request' | 'upstream' | 'caller'

interface RunningOptions {
  now: () => number
  /** How long a caller may leave an answer unread before they count as disconnected. */
  stalledReaderTimeout: () => number
  /** A socket is closed after this much silence. Long calls lift the timeout and restore it at their end. */
  socket_idle_timeout_s: number
}

const TICK_MS = 500

/** When many callers are stalled, one counts as stalled after this time without reading. */
const STALLED_MS = 5_000

/**
 * The most callers that may be stalled at once. Back-pressure on a stream begins only when the socket buffers are full; until then
 * the runtime may have read 2 MB of a fast one, and no other limit bounds that.
 */
const MAX_STALLED = 100

/** All running calls, and the state of the process that serves them. */
export class RunningCalls {
  /** No new call may start. */
  stopping = false
  readonly options: RunningOptions
  readonly #places = new Set<RunningCall>()
  #whenEmpty: (() => void) | undefined

  constructor(options: RunningOptions) {
    this.options = options
  }

  get size(): number {
    return this.#places.size
  }

  /** Whether the call of a hold is still running, however old it is. */
  isUnderWay(hold_id: number): boolean {
    return this.#places.values().some((place) => place.hold_id === hold_id)
  }

  /** Registers a call. The socket's idle timeout is changed for long calls only. */
  enter(arriving: Arriving): RunningCall {
    const place = new RunningCall(this, arriving)
    this.#places.add(place)
    return place
  }

  /** @returns false if the place was already left */
  leave(place: RunningCall): boolean {
    const was_taken = this.#places.delete(place)
    if (this.#places.size === 0) this.#whenEmpty?.()
    return was_taken
  }

  /** Refuses new calls, waits for the running ones, and ends the rest after the timeout. */
  async stop(timeout_ms: number): Promise<void> {
    this.stopping = true
    if (this.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#whenEmpty = resolve
    const timer = setTimeout(() => {
      for (const place of this.#places) {
        place.end(restartError())
        place.abortUpstream?.()
      }
    }, timeout_ms)
    await Promise.race([promise, Bun.sleep(timeout_ms + LAST_WAIT_MS)])
    clearTimeout(timer)
  }

  /** Checks deadlines; called by a timer. */
  tick(): void {
    const at_ms = this.options.now()
    for (const place of this.#places) place.check(at_ms)
    if (this.size > MAX_STALLED) this.#cutLongestStalled(at_ms)
  }

  #cutLongestStalled(at_ms: number): void {
    const stalled = [...this.#places].filter(
      ({ waiting_for, progressed_ms }) => waiting_for === 'caller' && at_ms - progressed_ms > STALLED_MS,
    )
    stalled.sort((one, other) => one.progressed_ms - other.progressed_ms)
    for (const place of stalled.slice(0, -MAX_STALLED)) place.end()
  }
}

/** One call's place among the running ones. It listens to its request's abort signal. */
export class RunningCall implements EventListenerObject {
  waiting_for: WaitingFor = 'request'
  progressed_ms: number
  /** The hold of its call, until the place is left. */
  hold_id: number | undefined
  /** When the caller disconnected or counted as stalled, in milliseconds since 1970; undefined while they are connected. */
  left_at_ms: number | undefined
  abortUpstream: (() => void) | undefined
  /** Fires when the caller disconnects or stalls for too long; when the process stops, with the GatewayError for the caller. */
  readonly gone = new PlainSignal()
  readonly #running: RunningCalls
  readonly #arriving: Arriving
  readonly #started_ms: number
  #idle_timeout_ms = Number.POSITIVE_INFINITY
  #is_idle_timeout_lifted = false

  constructor(running: RunningCalls, arriving: Arriving) {
    this.#running = running
    this.#arriving = arriving
    this.#started_ms = running.options.now()
    this.progressed_ms = this.#started_ms
    const { signal } = arriving.request
    signal.addEventListener('abort', this)
    if (signal.aborted) this.end()
  }

  /** Handles the caller's disconnect. */
  handleEvent(): void {
    this.end()
  }

  /** Ends the call: the caller disconnected or stalled, or the gateway stops. @param reason the error for a caller who is still connected */
  end(reason?: GatewayError): void {
    // With a reason, the caller is still connected.
    if (!reason) this.left_at_ms ??= this.#running.options.now()
    this.gone.abort(reason)
  }

  /** Records progress, and what the call waits for next. */
  progressed(waiting_for: WaitingFor): void {
    this.waiting_for = waiting_for
    this.progressed_ms = this.#running.options.now()
  }

  /** Sets how long the upstream may be silent within an answer. Before this call there is no such limit. */
  watchSilence(idle_timeout_ms: number, abortUpstream: () => void): void {
    this.#idle_timeout_ms = idle_timeout_ms
    this.abortUpstream = abortUpstream
    this.progressed_ms = this.#running.options.now()
  }

  /** Leaves the place at the end of the call. */
  done(): void {
    if (!this.#running.leave(this)) return
    this.#arriving.request.signal.removeEventListener('abort', this)
    if (this.#is_idle_timeout_lifted) this.#setIdleTimeout(this.#running.options.socket_idle_timeout_s)
  }

  /** Checks the call's deadlines. */
  check(at_ms: number): void {
    const { stalledReaderTimeout, socket_idle_timeout_s } = this.#running.options
    const stalled_ms = at_ms - this.progressed_ms
    if (this.waiting_for === 'upstream' && stalled_ms > this.#idle_timeout_ms) this.abortUpstream?.()
    if (this.waiting_for === 'caller' && stalled_ms > stalledReaderTimeout()) this.end()
    // The socket's own timeout ends a stalled upload.
    if (this.waiting_for === 'request' || this.#is_idle_timeout_lifted) return
    // Early enough that no socket is closed first, late enough that short calls never need it.
    if (at_ms - this.#started_ms > (socket_idle_timeout_s * 1_000) / 4) {
      this.#is_idle_timeout_lifted = true
      this.#setIdleTimeout(0)
    }
  }

  #setIdleTimeout(timeout_s: number): void {
    const { request, sockets } = this.#arriving
    sockets()?.timeout(request, timeout_s)
  }
}

/** Aborted calls may take this long to settle after the timeout: the ledger's wait for a commit, and a margin. */
const LAST_WAIT_MS = 6_000

/** Ticks until stopped. Returns the function that stops it. */
export function tickRegularly(running: Pick<RunningCalls, 'tick'>): () => void {
  const timer = setInterval(() => running.tick(), TICK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

const RESTARTED_IN_S = 5

const restartError = (): GatewayError =>
  overloaded('The gateway is restarting and had to end this answer early. Please retry.', {
    retry_after_s: RESTARTED_IN_S,
  })

/** @throws GatewayError overloaded while the process stops */
export function rejectWhileStopping({ stopping }: Pick<RunningCalls, 'stopping'>): void {
  if (stopping)
    throw overloaded('The gateway is restarting. Please retry.', { retry_after_s: RESTARTED_IN_S })
}
