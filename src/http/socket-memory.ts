// Reading order and memory limits of open WebSockets: which are paused, and which are closed if memory is short.

/** The reason for closing a socket, which its caller receives. */
export interface SocketEnd {
  /** A close code of RFC 6455, 7.4.1. */
  code: number
  /** At most 123 bytes. */
  reason: string
  /** Whether the caller first gets a message about the age limit, also in answer to every further request. */
  is_too_old?: true
}

export interface OpenSocket {
  readonly account_id: number
  readonly opened_at_ms: number
  /** Whether no call is running on it. */
  readonly is_idle: boolean
  /** Whether it sent more than allowed, for which it is closed. */
  readonly was_abusive: boolean
  /** Checks whether its caller is still connected, if nothing else shows it. */
  look(): void
  /** Pauses or resumes reading. */
  mayRead(may_read: boolean): void
  /** Closes it: immediately if no call is running, otherwise after the last answer. */
  end(why: SocketEnd): void
  /** Closes it immediately, and cancels its running calls. */
  cut(why: SocketEnd): void
}

/**
 * The runtime assembles a message before it delivers it, up to 16 MB per socket, and does not report how much it has. Above
 * this size of the process no more is received: sockets with running calls are paused, idle ones are closed, and none is opened.
 * Calls by POST take at most 900 MB (test/README.md).
 */
const MAX_RESIDENT_BYTES = 1_024 * 1024 * 1024
/** The allocator returns memory late, so sockets are closed again only after a further growth by this much. */
const RESIDENT_STEP_BYTES = 128 * 1024 * 1024
/** Above this size sockets with running calls are closed, too. */
const MAX_RESIDENT_OF_BUSY_BYTES = MAX_RESIDENT_BYTES + RESIDENT_STEP_BYTES
/** Per socket: `maxPayloadLength` in app/process/listening.ts. */
const MAX_ASSEMBLED_BYTES = 16 * 1024 * 1024

const NO_MEMORY: SocketEnd = { code: 1013, reason: 'The gateway is short of memory. Connect again later.' }

/** All paused sockets are resumed within 50 ms. */
const READ_AGAIN_EVERY_MS = 2
const READ_AGAIN_STEPS = 25

/** The runtime takes milliseconds for a larger message. */
const LARGE_MESSAGE_BYTES = 1024 * 1024
/** Of all sockets in one turn of the event loop. Each takes a microsecond, and one read may deliver thousands. */
const MAX_MESSAGES_A_TURN = 1_000

interface Reading {
  /** After a large message, or many in one turn of the event loop, pauses all sockets; they are resumed in order, the sender last. */
  afterMessage(sender: OpenSocket, bytes: number): void
  /** Pauses all sockets until `resume`. */
  stop(): void
  /** Resumes the paused sockets, one after another. */
  resume(): void
  remove(socket: OpenSocket): void
}

/** @param open the oldest first */
export function createReading(open: ReadonlySet<OpenSocket>): Reading {
  /** Paused sockets, the longest waiting first. */
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

  function resume(): void {
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
      if (!is_stopped) resume()
    },
    stop() {
      is_stopped = true
      for (const socket of open) pause(socket)
    },
    resume,
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
        if (was_short) reading.resume()
      }
    },
  }
}
