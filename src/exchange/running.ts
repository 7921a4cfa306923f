// Owns the calls under way: their deadlines, their sockets' time-outs, and the wait for them when the process stops.

import { type GatewayError, overloaded } from '../domain/errors.ts'

/** What a call under way waits for at the moment; at first, for the rest of its own request. */
export type WaitingFor = 'request' | 'upstream' | 'caller'

/** One call's place among those under way. */
export interface RunningCall {
  /** Fires when the caller has gone or stands still for too long; when the process stops, with the GatewayError to tell him. */
  readonly gone: AbortSignal
  /** The call has moved, and now waits for this. */
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
  /** How long a caller may leave his answer unread before he counts as gone. */
  stalledReaderTimeout: () => number
  /** After so much silence a socket is cut. Calls that may take longer are idle_timeout_lifted, and their sockets put back at their end. */
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

/** An empty set of calls. */
export function createRunningCalls(options: RunningOptions): RunningCalls {
  const { now, stalledReaderTimeout, socket_idle_timeout_s } = options
  /** Early enough that no socket is cut before, late enough that short calls never cost it. */
  const lift_after_ms = (socket_idle_timeout_s * 1_000) / 4
  const entries = new Set<Entry>()
  let stopping = false
  let whenEmpty: (() => void) | undefined

  function check(entry: Entry, at_ms: number): void {
    const still_ms = at_ms - entry.progressed_ms
    if (entry.waiting_for === 'upstream' && still_ms > entry.idle_timeout_ms) entry.abortUpstream?.()
    if (entry.waiting_for === 'caller' && still_ms > stalledReaderTimeout()) entry.controller.abort()
    // An upload that stands still is cut with its socket.
    if (
      entry.waiting_for !== 'request' &&
      !entry.idle_timeout_lifted &&
      at_ms - entry.started_ms > lift_after_ms
    ) {
      entry.idle_timeout_lifted = true
      entry.setIdleTimeout(0)
    }
  }

  return {
    get size() {
      return entries.size
    },
    get stopping() {
      return stopping
    },
    isUnderWay: (hold_id) => entries.values().some((entry) => entry.hold_id === hold_id),
    enter(request, setIdleTimeout) {
      const at_ms = now()
      const controller = new AbortController()
      const entry: Entry = {
        controller,
        started_ms: at_ms,
        progressed_ms: at_ms,
        waiting_for: 'request',
        idle_timeout_ms: Number.POSITIVE_INFINITY,
        hold_id: undefined,
        abortUpstream: undefined,
        setIdleTimeout,
        idle_timeout_lifted: false,
      }
      const leaves = () => controller.abort()
      request.signal.addEventListener('abort', leaves)
      if (request.signal.aborted) leaves()
      entries.add(entry)
      return {
        gone: controller.signal,
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
          request.signal.removeEventListener('abort', leaves)
          if (entry.idle_timeout_lifted) entry.setIdleTimeout(socket_idle_timeout_s)
          if (entries.size === 0) whenEmpty?.()
        },
      }
    },
    async stop(timeout_ms) {
      stopping = true
      if (entries.size === 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      whenEmpty = resolve
      const timer = setTimeout(() => {
        for (const { controller, abortUpstream } of entries) {
          controller.abort(stopped())
          abortUpstream?.()
        }
      }, timeout_ms)
      await Promise.race([promise, Bun.sleep(timeout_ms + 5_000)])
      clearTimeout(timer)
    },
    tick() {
      const at_ms = now()
      for (const entry of entries) check(entry, at_ms)
    },
  }
}

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
