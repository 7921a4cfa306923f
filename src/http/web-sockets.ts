// The WebSockets of callers: how many may be open, how old they grow, and their end when memory is short or the process stops.

/** Why one ends, as its caller is told. */
export interface SocketEnd {
  /** RFC 6455, 7.4.1. */
  code: number
  /** At most 123 bytes. */
  reason: string
  /** What is sent before it closes, and in answer to whatever is asked until then. */
  is_too_old?: true
}

/** One that is open. */
export interface OpenSocket {
  readonly account_id: number
  readonly opened_at_ms: number
  /** Nothing is under way on it. */
  readonly is_idle: boolean
  /** It sent more than it paid for. */
  readonly was_sent_away: boolean
  /** Finds out whether its caller is still there, where nothing else would tell. */
  look(): void
  /** Ends it: at once where nothing is under way, else after the last answer. */
  end(why: SocketEnd): void
}

export interface WebSockets {
  readonly size: number
  /** Whether the account may open one more. */
  hasRoom(account_id: number): boolean
  add(socket: OpenSocket): void
  remove(socket: OpenSocket): void
  /** Ends what is too old or left, and idle ones where memory is short; called by a timer, which runs while any is open. */
  tick(): void
  /** Ends all of them: the process stops. */
  stop(): void
}

export interface WebSocketsOptions {
  now: () => number
  /** The memory of the process. */
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

/**
 * The runtime assembles a message before anybody sees it, up to 16 MB on each socket. Beyond this size of the process idle ones
 * are closed: what fills it may be on the way in on them. Calls by POST take at most 900 MB (test/README.md).
 */
const MAX_RESIDENT_BYTES = 1_280 * 1024 * 1024
/** The allocator gives memory back late: closing them again is of use only once so much more is taken. */
const RESIDENT_STEP_BYTES = 128 * 1024 * 1024

const STOPPING: SocketEnd = { code: 1012, reason: 'The gateway is restarting. Connect again.' }
const TOO_OLD: SocketEnd = { code: 1001, reason: 'Open for 60 minutes. Connect again.', is_too_old: true }
const NO_MEMORY: SocketEnd = { code: 1013, reason: 'The gateway is short of memory. Connect again later.' }

/** None is open. */
export function createWebSockets({ now, resident_bytes }: WebSocketsOptions): WebSockets {
  /** The oldest first. */
  const open = new Set<OpenSocket>()
  const open_of = new Map<number, number>()
  /** Places that are still taken, the oldest first. */
  const sent_away: { account_id: number; until_ms: number }[] = []
  let timer: Timer | undefined
  let tolerated_bytes = MAX_RESIDENT_BYTES
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

  function endIdleWithoutMemory(): void {
    const taken_bytes = resident_bytes()
    if (taken_bytes <= MAX_RESIDENT_BYTES) tolerated_bytes = MAX_RESIDENT_BYTES
    if (taken_bytes <= tolerated_bytes) return
    tolerated_bytes = taken_bytes + RESIDENT_STEP_BYTES
    for (const socket of [...open]) if (socket.is_idle) socket.end(NO_MEMORY)
  }

  const sockets: WebSockets = {
    get size() {
      return open.size
    },
    hasRoom(account_id) {
      freePlaces()
      return open.size < MAX_OPEN && (open_of.get(account_id) ?? 0) < MAX_OPEN_OF_ACCOUNT
    },
    add(socket) {
      open.add(socket)
      count(socket, 1)
      timer ??= setInterval(sockets.tick, TICK_MS).unref()
      if (is_stopping) socket.end(STOPPING)
    },
    remove(socket) {
      if (!open.delete(socket)) return
      if (socket.was_sent_away)
        sent_away.push({ account_id: socket.account_id, until_ms: now() + SENT_AWAY_MS })
      else count(socket, -1)
      if (open.size > 0) return
      clearInterval(timer)
      timer = undefined
    },
    tick() {
      const at_ms = now()
      for (const socket of [...open]) {
        if (at_ms - socket.opened_at_ms < MAX_AGE_MS) break
        socket.end(TOO_OLD)
      }
      for (const socket of open) socket.look()
      endIdleWithoutMemory()
    },
    stop() {
      is_stopping = true
      for (const socket of [...open]) socket.end(STOPPING)
    },
  }
  return sockets
}
