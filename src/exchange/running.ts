// The calls under way: their deadlines, their sockets' time-outs, and the wait for them when the process stops.

import { type GatewayError, overloaded } from '../domain/errors.ts'

/** What a call waits for at the moment; at first, for the rest of its own request. */
export type WaitingFor = 'request' | 'upstream' | 'caller'

/** One call's place among those under way. */
export interface RunningCall {
  /** Fires when the caller has gone or stalled for too long; when the process stops, with the GatewayError to tell them. */
  readonly gone: AbortSignal
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
  /** @param setIdleTimeout sets the socket's own idle time-out, 0 for none; called for long calls only */
  enter(request: Request, setIdleTimeout: (timeout_s: number) => void): RunningCall
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

interface Entry {
  controller: AbortController
  started_ms: number
  progressed_ms: number
  waiting_for: WaitingFor
  idle_timeout_ms: number
  hold_id: number | undefined
  abortUpstream: (() => void) | undefined
  setIdleTimeout: (timeout_s: number) => void
  idle_timeout_lifted: boolean
}

/** All calls under way, and what is known of the process that serves them. */
interface Running {
  readonly options: RunningOptions
  readonly entries: Set<Entry>
  stopping: boolean
  whenEmpty: (() => void) | undefined
}

/** An empty set of calls. */
export function createRunningCalls(options: RunningOptions): RunningCalls {
  const running: Running = { options, entries: new Set(), stopping: false, whenEmpty: undefined }
  const { entries } = running
  return {
    get size() {
      return entries.size
    },
    get stopping() {
      return running.stopping
    },
    isUnderWay: (hold_id) => entries.values().some((entry) => entry.hold_id === hold_id),
    enter: (request, setIdleTimeout) => enter(running, request, setIdleTimeout),
    stop: (timeout_ms) => stop(running, timeout_ms),
    tick() {
      const at_ms = options.now()
      for (const entry of entries) check(running, entry, at_ms)
      if (entries.size > MAX_STALLED) cutLongestStalled(running, at_ms)
    },
  }
}

function enter(running: Running, request: Request, setIdleTimeout: (timeout_s: number) => void): RunningCall {
  const { entries, options } = running
  const { now, socket_idle_timeout_s } = options
  const entry = openEntry(now(), setIdleTimeout)
  const leave = () => entry.controller.abort()
  request.signal.addEventListener('abort', leave)
  if (request.signal.aborted) leave()
  entries.add(entry)
  return {
    gone: entry.controller.signal,
    progressed(waiting_for) {
      entry.waiting_for = waiting_for
      entry.progressed_ms = now()
    },
    watchSilence(idle_timeout_ms, abortUpstream) {
      entry.idle_timeout_ms = idle_timeout_ms
      entry.abortUpstream = abortUpstream
      entry.progressed_ms = now()
    },
    holds(hold_id) {
      entry.hold_id = hold_id
    },
    done() {
      if (!entries.delete(entry)) return
      request.signal.removeEventListener('abort', leave)
      if (entry.idle_timeout_lifted) entry.setIdleTimeout(socket_idle_timeout_s)
      if (entries.size === 0) running.whenEmpty?.()
    },
  }
}

const openEntry = (at_ms: number, setIdleTimeout: (timeout_s: number) => void): Entry => ({
  controller: new AbortController(),
  started_ms: at_ms,
  progressed_ms: at_ms,
  waiting_for: 'request',
  idle_timeout_ms: Number.POSITIVE_INFINITY,
  hold_id: undefined,
  abortUpstream: undefined,
  setIdleTimeout,
  idle_timeout_lifted: false,
})

function check({ options }: Running, entry: Entry, at_ms: number): void {
  const { stalledReaderTimeout, socket_idle_timeout_s } = options
  const stalled_ms = at_ms - entry.progressed_ms
  if (entry.waiting_for === 'upstream' && stalled_ms > entry.idle_timeout_ms) entry.abortUpstream?.()
  if (entry.waiting_for === 'caller' && stalled_ms > stalledReaderTimeout()) entry.controller.abort()
  // A stalled upload is cut with its socket.
  if (entry.waiting_for === 'request' || entry.idle_timeout_lifted) return
  // Early enough that no socket is cut before, late enough that short calls never cost it.
  if (at_ms - entry.started_ms > (socket_idle_timeout_s * 1_000) / 4) {
    entry.idle_timeout_lifted = true
    entry.setIdleTimeout(0)
  }
}

function cutLongestStalled({ entries }: Running, at_ms: number): void {
  const stalled = [...entries].filter(
    ({ waiting_for, progressed_ms }) => waiting_for === 'caller' && at_ms - progressed_ms > STALLED_MS,
  )
  stalled.sort((one, other) => one.progressed_ms - other.progressed_ms)
  for (const { controller } of stalled.slice(0, -MAX_STALLED)) controller.abort()
}

async function stop(running: Running, timeout_ms: number): Promise<void> {
  running.stopping = true
  if (running.entries.size === 0) return
  const { promise, resolve } = Promise.withResolvers<void>()
  running.whenEmpty = resolve
  const timer = setTimeout(() => {
    for (const { controller, abortUpstream } of running.entries) {
      controller.abort(stopped())
      abortUpstream?.()
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

const stopped = (): GatewayError =>
  overloaded('The gateway is restarting, and could not wait for the end of this answer. Please retry.', {
    retry_after_s: 5,
  })
