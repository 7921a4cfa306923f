// Open WebSockets as their registry sees them: when they are read, which are ended where memory is short, and why one ends.

/** Why one ends, as its caller is told. */
export interface SocketEnd {
  /** RFC 6455, 7.4.1. */
  code: number
  /** At most 123 bytes. */
  reason: string
  /** The message before it closes, and the answer to every request until then. */
  is_too_old?: true
}

export interface OpenSocket {
  readonly account_id: number
  readonly opened_at_ms: number
  /** Nothing is under way on it. */
  readonly is_idle: boolean
  /** It sent more than it paid for. */
  readonly was_sent_away: boolean
  /** Finds out whether its caller is still there, where nothing else would tell. */
  look(): void
  /** Whether it may be read: nothing of it comes in while it may not. */
  mayRead(may_read: boolean): void
  /** Ends it: at once where nothing is under way, else after the last answer. */
  end(why: SocketEnd): void
  /** Ends it at once, with the calls under way. */
  cut(why: SocketEnd): void
}

/**
 * The runtime assembles a message before anybody sees it, up to 16 MB on each socket, and nothing tells how much of it is there. Beyond
 * this size of the process nothing more is taken in: sockets with calls under way are not read, idle ones are closed, and none is opened.
 * Calls by POST take at most 900 MB (test/README.md).
 */
const MAX_RESIDENT_BYTES = 1_024 * 1024 * 1024
/** The allocator gives memory back late: closing them again is of use only once so much more is taken. */
const RESIDENT_STEP_BYTES = 128 * 1024 * 1024
/** Beyond this one, those with calls under way are closed, too. */
const MAX_RESIDENT_OF_BUSY_BYTES = MAX_RESIDENT_BYTES + RESIDENT_STEP_BYTES
/** Of one socket: `maxPayloadLength` in app/process/listening.ts. */
const MAX_ASSEMBLED_BYTES = 16 * 1024 * 1024

const NO_MEMORY: SocketEnd = { code: 1013, reason: 'The gateway is short of memory. Connect again later.' }

/** All are read again within 50 ms. */
const READ_AGAIN_EVERY_MS = 2
const READ_AGAIN_STEPS = 25

/** Beyond this the runtime takes milliseconds for each. */
const LARGE_MESSAGE_BYTES = 1024 * 1024
/** Of all sockets in one turn of the event loop: each takes a microsecond, and one read of a socket may bring thousands. */
const MAX_MESSAGES_A_TURN = 1_000

interface Reading {
  /** After a large message, and after many in one turn of the event loop, all others are read before its sender is. */
  afterMessage(sender: OpenSocket, bytes: number): void
  /** None is read until `goOn`. */
  stop(): void
  /** They are read again, one after another. */
  goOn(): void
  remove(socket: OpenSocket): void
}

/** @param open the oldest first */
export function createReading(open: ReadonlySet<OpenSocket>): Reading {
  /** Sockets that are not read until their turn, the longest waiting first. */
  const unread = new Set<OpenSocket>()
  let timer: Timer | undefined
  let is_stopped = false
  let messages_in_turn = 0

  function endTurn(): void {
    messages_in_turn = 0
  }

  function pause(socket: OpenSocket): void {
    unread.add(socket)
    socket.mayRead(false)
  }

  function goOn(): void {
    is_stopped = false
    const at_once = Math.ceil(unread.size / READ_AGAIN_STEPS)
    timer ??= setInterval(() => {
      for (const socket of is_stopped ? [] : Iterator.from(unread).take(at_once).toArray()) {
        unread.delete(socket)
        socket.mayRead(true)
      }
      if (unread.size > 0 && !is_stopped) return
      clearInterval(timer)
      timer = undefined
    }, READ_AGAIN_EVERY_MS)
  }

  return {
    afterMessage(sender, bytes) {
      if (messages_in_turn++ === 0) setImmediate(endTurn)
      if (bytes <= LARGE_MESSAGE_BYTES && messages_in_turn !== MAX_MESSAGES_A_TURN) return
      for (const socket of open) if (socket !== sender) pause(socket)
      unread.delete(sender)
      pause(sender)
      if (!is_stopped) goOn()
    },
    stop() {
      is_stopped = true
      for (const socket of open) pause(socket)
    },
    goOn,
    remove: (socket) => void unread.delete(socket),
  }
}

interface MemoryWatch {
  readonly is_short: boolean
  check(): void
}

/** @param open the oldest first @param resident_bytes of the process */
export function watchMemory(
  open: ReadonlySet<OpenSocket>,
  { resident_bytes, reading }: { resident_bytes: () => number; reading: Reading },
): MemoryWatch {
  let tolerated_bytes = MAX_RESIDENT_BYTES
  let is_short = false

  function end(taken_bytes: number): void {
    for (const socket of [...open]) if (socket.is_idle) socket.end(NO_MEMORY)
    if (taken_bytes <= MAX_RESIDENT_OF_BUSY_BYTES) return
    const count = Math.ceil((taken_bytes - MAX_RESIDENT_BYTES) / MAX_ASSEMBLED_BYTES)
    for (const socket of [...open].reverse().slice(0, count)) socket.cut(NO_MEMORY)
  }

  return {
    get is_short() {
      return is_short && open.size > 0
    },
    check() {
      const taken_bytes = resident_bytes()
      const was_short = is_short
      is_short = taken_bytes > MAX_RESIDENT_BYTES
      if (is_short) {
        reading.stop()
        if (taken_bytes <= tolerated_bytes) return
        tolerated_bytes = taken_bytes + RESIDENT_STEP_BYTES
        end(taken_bytes)
      } else {
        tolerated_bytes = MAX_RESIDENT_BYTES
        if (was_short) reading.goOn()
      }
    },
  }
}
