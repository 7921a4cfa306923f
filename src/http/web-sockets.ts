// The registry of callers' WebSockets: limits of number and age, and closing if memory is short or the process stops.
import { createReading, type OpenSocket, type SocketEnd, watchMemory } from './socket-memory.ts'

export interface WebSockets {
  readonly size: number
  /** Whether the account may open another socket. */
  hasRoom(account_id: number): boolean
  add(socket: OpenSocket): void
  remove(socket: OpenSocket): void
  /** Reports a message, as `afterMessage` (socket-memory.ts). */
  sawMessage(socket: OpenSocket, bytes: number): void
  /** Closes sockets that are too old or disconnected. Called by a timer, which runs while any socket is open. */
  tick(): void
  /** Checks the memory limits. Called by a timer, which runs while any socket is open. */
  checkMemory(): void
  /** Closes all sockets, as the process stops. */
  stop(): void
}

interface WebSocketsOptions {
  now: () => number
  resident_bytes: () => number
}

/**
 * Each takes a few kilobytes, and refused callers can use POST. The memory limits need the number: while 1,024 connections or more have
 * something to read, Bun reads them up to 48 times, half a megabyte each, before a timer runs (`us_internal_drain_ready_polls` of its
 * uSockets). 2,048 sockets took 7.9 GB in such a turn; these take at most 0.4 GB between two checks.
 */
const MAX_OPEN = 768
const MAX_OPEN_OF_ACCOUNT = 128
/** The time for which a socket closed for abuse still counts against its account's limit. */
const ABUSE_COUNTS_MS = 60_000

/** The limit of OpenAI: https://developers.openai.com/api/docs/guides/websocket-mode, "Connection behavior and limits". */
const MAX_AGE_MS = 3_600_000

const TICK_MS = 250
/** The runtime receives at most a megabyte per millisecond. */
const MEMORY_EVERY_MS = 25

const STOPPING: SocketEnd = { code: 1012, reason: 'The gateway is restarting. Connect again.' }
const TOO_OLD: SocketEnd = { code: 1001, reason: 'Open for 60 minutes. Connect again.', is_too_old: true }

export function createWebSockets({ now, resident_bytes }: WebSocketsOptions): WebSockets {
  /** The oldest first. */
  const open = new Set<OpenSocket>()
  const open_of = new Map<number, number>()
  /** Closed sockets that still count against their account's limit, the oldest first. */
  const abusive: { account_id: number; until_ms: number }[] = []
  const reading = createReading(open)
  const memory = watchMemory(open, { resident_bytes, reading })
  let timers: Timer[] = []
  let is_stopping = false

  function count({ account_id }: Pick<OpenSocket, 'account_id'>, more: number): void {
    const sum = (open_of.get(account_id) ?? 0) + more
    if (sum > 0) open_of.set(account_id, sum)
    else open_of.delete(account_id)
  }

  function freePlaces(): void {
    const at_ms = now()
    for (let first = abusive[0]; first && first.until_ms <= at_ms; first = abusive[0]) {
      abusive.shift()
      count(first, -1)
    }
  }

  const sockets: WebSockets = {
    get size() {
      return open.size
    },
    hasRoom(account_id) {
      freePlaces()
      return !memory.is_short && open.size < MAX_OPEN && (open_of.get(account_id) ?? 0) < MAX_OPEN_OF_ACCOUNT
    },
    add(socket) {
      open.add(socket)
      count(socket, 1)
      if (timers.length === 0)
        timers = [
          setInterval(sockets.tick, TICK_MS).unref(),
          setInterval(sockets.checkMemory, MEMORY_EVERY_MS).unref(),
        ]
      if (is_stopping) socket.end(STOPPING)
    },
    remove(socket) {
      if (!open.delete(socket)) return
      reading.remove(socket)
      if (socket.was_abusive)
        abusive.push({ account_id: socket.account_id, until_ms: now() + ABUSE_COUNTS_MS })
      else count(socket, -1)
      if (open.size > 0) return
      for (const timer of timers) clearInterval(timer)
      timers = []
    },
    tick() {
      const at_ms = now()
      for (const socket of [...open]) {
        if (at_ms - socket.opened_at_ms < MAX_AGE_MS) break
        socket.end(TOO_OLD)
      }
      for (const socket of open) socket.look()
    },
    checkMemory: memory.check,
    sawMessage: reading.afterMessage,
    stop() {
      is_stopping = true
      for (const socket of [...open]) socket.end(STOPPING)
    },
  }
  return sockets
}
