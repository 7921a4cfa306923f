// The calls under way: their deadlines, their sockets' time-outs, and the wait for them when the process stops.

import { type GatewayError, overloaded } from '../../domain/errors.ts'
import type { Arriving } from '../../http/sockets.ts'

/** What a call waits for at the moment; at first, for the rest of its own request. */
export type WaitingFor = 'request' | 'upstream' | 'caller'

/** One call's place among those under way. */
export interface RunningCall {
  /** Fires when the caller has gone or stalled for too long; when the process stops, with the GatewayError to tell them. */
  readonly gone: AbortSignal
  /** When the caller left or was given up, in milliseconds since 1970; undefined while they are there. */
  readonly left_at_ms: number | undefined
  /** The call has made a step forward, and now waits for this. */
  progressed(waiting_for: WaitingFor): void
  /** How long the upstream may be silent inside an answer; nothing is watched before this is called. */
  watchSilence(idle_timeout_ms: number, abortUpstream: () => void): void
  /** Money is held for it, until it leaves. */
  holds(hold_id: number): void
  /** The call is over. */
  done(): void
}

export interface RunningOptions {
  now: () => number
  /** How long a caller may leave an answer unread before they count as gone. */
  stalledReaderTimeout: () => number
  /** After so much silence a socket is cut. Long calls lift it, and put it back at their end. */
  socket_idle_timeout_s: number
}

export interface RunningCalls {
  readonly size: number
  /** No new call may start. */
  readonly stopping: boolean
  /** Whether a hold's call is under way, however long it has been. */
  isUnderWay(hold_id: number): boolean
  /** The socket's own idle time-out is changed for long calls only. */
  enter(arriving: Arriving): RunningCall
  /** Refuses new calls, waits for those under way, and ends what is left after the time-out. */
  stop(timeout_ms: number): Promise<void>
  /** Looks after deadlines; called by a timer. */
  tick(): void
}

const TICK_MS = 500

/** A caller who reads nothing for so long counts as stalled, where many do. */
const STALLED_MS = 5_000

/**
 * How many may be stalled at once. A stream is back-pressured only once the sockets' buffers are full, and what the runtime
 * has read by then of a fast one is 2 MB that nothing else bounds.
 */
const MAX_STALLED = 100

/** All calls under way, and what is known of the process that serves them. */
interface Running {
  readonly options: RunningOptions
  readonly places: Set<Place>
  stopping: boolean
  whenEmpty: (() => void) | undefined
}

/** An empty set of calls. */
export function createRunningCalls(options: RunningOptions): RunningCalls {
  const running: Running = { options, places: new Set(), stopping: false, whenEmpty: undefined }
  const { places } = running
  return {
    get size() {
      return places.size
    },
    get stopping() {
      return running.stopping
    },
    isUnderWay: (hold_id) => places.values().some((place) => place.hold_id === hold_id),
    enter(arriving) {
      const place = new Place(running, arriving)
      places.add(place)
      return place
    },
    stop: (timeout_ms) => stop(running, timeout_ms),
    tick() {
      const at_ms = options.now()
      for (const place of places) place.check(at_ms)
      if (places.size > MAX_STALLED) cutLongestStalled(running, at_ms)
    },
  }
}

/** A place, and what is known of its call. It listens to its own request. */
class Place implements RunningCall, EventListenerObject {
  readonly started_ms: number
  progressed_ms: number
  waiting_for: WaitingFor = 'request'
  idle_timeout_ms = Number.POSITIVE_INFINITY
  hold_id: number | undefined
  abortUpstream: (() => void) | undefined
  left_at_ms: number | undefined
  readonly #running: Running
  readonly #arriving: Arriving
  readonly #controller = new AbortController()
  #is_idle_timeout_lifted = false

  constructor(running: Running, arriving: Arriving) {
    this.#running = running
    this.#arriving = arriving
    this.started_ms = running.options.now()
    this.progressed_ms = this.started_ms
    const { signal } = arriving.request
    signal.addEventListener('abort', this)
    if (signal.aborted) this.end()
  }

  get gone(): AbortSignal {
    return this.#controller.signal
  }

  /** The caller has left. */
  handleEvent(): void {
    this.end()
  }

  /** @param reason what callers who are still there are told */
  end(reason?: GatewayError): void {
    this.left_at_ms ??= this.#running.options.now()
    this.#controller.abort(reason)
  }

  progressed(waiting_for: WaitingFor): void {
    this.waiting_for = waiting_for
    this.progressed_ms = this.#running.options.now()
  }

  watchSilence(idle_timeout_ms: number, abortUpstream: () => void): void {
    this.idle_timeout_ms = idle_timeout_ms
    this.abortUpstream = abortUpstream
    this.progressed_ms = this.#running.options.now()
  }

  holds(hold_id: number): void {
    this.hold_id = hold_id
  }

  done(): void {
    const { places, options, whenEmpty } = this.#running
    if (!places.delete(this)) return
    this.#arriving.request.signal.removeEventListener('abort', this)
    if (this.#is_idle_timeout_lifted) this.#setIdleTimeout(options.socket_idle_timeout_s)
    if (places.size === 0) whenEmpty?.()
  }

  check(at_ms: number): void {
    const { stalledReaderTimeout, socket_idle_timeout_s } = this.#running.options
    const stalled_ms = at_ms - this.progressed_ms
    if (this.waiting_for === 'upstream' && stalled_ms > this.idle_timeout_ms) this.abortUpstream?.()
    if (this.waiting_for === 'caller' && stalled_ms > stalledReaderTimeout()) this.end()
    // A stalled upload is cut with its socket.
    if (this.waiting_for === 'request' || this.#is_idle_timeout_lifted) return
    // Early enough that no socket is cut before, late enough that short calls never cost it.
    if (at_ms - this.started_ms > (socket_idle_timeout_s * 1_000) / 4) {
      this.#is_idle_timeout_lifted = true
      this.#setIdleTimeout(0)
    }
  }

  #setIdleTimeout(timeout_s: number): void {
    const { request, sockets } = this.#arriving
    sockets()?.timeout(request, timeout_s)
  }
}

function cutLongestStalled({ places }: Running, at_ms: number): void {
  const stalled = [...places].filter(
    ({ waiting_for, progressed_ms }) => waiting_for === 'caller' && at_ms - progressed_ms > STALLED_MS,
  )
  stalled.sort((one, other) => one.progressed_ms - other.progressed_ms)
  for (const place of stalled.slice(0, -MAX_STALLED)) place.end()
}

async function stop(running: Running, timeout_ms: number): Promise<void> {
  running.stopping = true
  if (running.places.size === 0) return
  const { promise, resolve } = Promise.withResolvers<void>()
  running.whenEmpty = resolve
  const timer = setTimeout(() => {
    for (const place of running.places) {
      place.end(stopped())
      place.abortUpstream?.()
    }
  }, timeout_ms)
  await Promise.race([promise, Bun.sleep(timeout_ms + LAST_WAIT_MS)])
  clearTimeout(timer)
}

/** What is aborted at the time-out may take this long to settle: as long as the ledger waits for a commit, and a little. */
const LAST_WAIT_MS = 6_000

/** Ticks until stopped. Returns what stops it. */
export function tickRegularly(running: RunningCalls): () => void {
  const timer = setInterval(running.tick, TICK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

const RESTARTED_IN_S = 5

const stopped = (): GatewayError =>
  overloaded('The gateway is restarting and had to end this answer early. Please retry.', {
    retry_after_s: RESTARTED_IN_S,
  })

/** @throws GatewayError overloaded while the process stops */
export function rejectWhileStopping({ stopping }: Pick<RunningCalls, 'stopping'>): void {
  if (stopping)
    throw overloaded('The gateway is restarting. Please retry.', { retry_after_s: RESTARTED_IN_S })
}
