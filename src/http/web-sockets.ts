// The WebSockets of callers: how many may be open, how old they grow, and their end when memory is short or the process stops.
import { createReading, type OpenSocket, type SocketEnd, watchMemory } from './socket-memory.ts'

export interface WebSockets {
  readonly size: number
  /** Whether the account may open one more. */
  hasRoom(account_id: number): boolean
  add(socket: OpenSocket): void
  remove(socket: OpenSocket): void
  /** A message has come: after a large one, or many in a turn of the event loop, the others are read again one after another. */
  sawMessage(socket: OpenSocket, bytes: number): void
  /** Ends what is too old or left; called by a timer, which runs while any is open. */
  tick(): void
  /** Looks after the memory; called by a timer, which runs while any is open. */
  checkMemory(): void
  /** Ends all of them: the process stops. */
  stop(): void
}

interface WebSocketsOptions {
  now: () => number
  resident_bytes: () => number
}

/** Each costs a few kilobytes. Whoever is refused goes on by POST. */
const MAX_OPEN = 2_048
const MAX_OPEN_OF_ACCOUNT = 128
/** After so long the place of one that was sent away can be taken again. */
const SENT_AWAY_MS = 60_000

/** OpenAI's own limit: https://developers.openai.com/api/docs/guides/websocket-mode, "Connection behavior and limits". */
const MAX_AGE_MS = 3_600_000

const TICK_MS = 250
/** The runtime takes in a megabyte a millisecond at most. */
const MEMORY_EVERY_MS = 25

const STOPPING: SocketEnd = { code: 1012, reason: 'The gateway is restarting. Connect again.' }
const TOO_OLD: SocketEnd = { code: 1001, reason: 'Open for 60 minutes. Connect again.', is_too_old: true }

/** None is open. */
export function createWebSockets({ now, resident_bytes }: WebSocketsOptions): WebSockets {
  /** The oldest first. */
  const open = new Set<OpenSocket>()
  const open_of = new Map<number, number>()
  /** Places that are still taken, the oldest first. */
  const sent_away: { account_id: number; until_ms: number }[] = []
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
    for (let first = sent_away[0]; first && first.until_ms <= at_ms; first = sent_away[0]) {
      sent_away.shift()
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
      if (socket.was_sent_away)
        sent_away.push({ account_id: socket.account_id, until_ms: now() + SENT_AWAY_MS })
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
