// The memory that large bodies take while they arrive and until they are sent on: shared by all, and no account takes all of it.
import { type Waiting, waitIn } from './memory-budget.ts'

/** The memory of one body. */
export interface BodyShare {
  /**
   * Takes bytes before they arrive, at once or once there is room: as many as one account may take. Bytes that do not arrive
   * in time are released for others.
   * @param gone fires when the caller has left; its reason is then thrown
   * @throws GatewayError rate_limited if there is no room in time
   */
  reserve(bytes: number, gone: AbortSignal): Promise<void> | undefined
  /**
   * Takes so many bytes more, those that were reserved first, at once or once there is room.
   * @param gone fires when the caller has left; its reason is then thrown
   * @throws GatewayError rate_limited if there is no room in time
   */
  grow(bytes: number, gone: AbortSignal): Promise<void> | undefined
  /** Frees all of it. A second time does nothing. */
  release(): void
}

export interface BodyMemory {
  /** A share without bytes: a caller who has sent nothing holds nothing. */
  open(account_id: number): BodyShare
}

interface BodyMemoryOptions {
  limit_bytes: number
  /** At most this much for one account. */
  account_limit_bytes: number
  /** How long a body waits at most for each of its parts. */
  wait_ms: number
  /** How long a reservation lasts. */
  reserved_ms: number
}

interface Share {
  account_id: number
  held_bytes: number
  /** The part of these that has not arrived yet. */
  reserved_bytes: number
  timer: Timer | undefined
}

interface WaitingPart extends Waiting {
  share: Share
}

interface Memory {
  options: BodyMemoryOptions
  held_bytes: number
  held_by: Map<number, number>
  /** The oldest first. */
  shares: Set<Share>
  waiting: WaitingPart[]
}

/** Memory of which nothing is taken. */
export function createBodyMemory(options: BodyMemoryOptions): BodyMemory {
  const memory: Memory = {
    options,
    held_bytes: 0,
    held_by: new Map(),
    shares: new Set(),
    waiting: [],
  }
  return {
    open(account_id) {
      const share: Share = { account_id, held_bytes: 0, reserved_bytes: 0, timer: undefined }
      return {
        reserve(bytes, gone) {
          const most_bytes = Math.min(bytes, options.account_limit_bytes)
          const waiting = takeOrWait(memory, share, most_bytes, gone)
          if (waiting) return waiting.then(() => keepReserved(memory, share, most_bytes))
          return keepReserved(memory, share, most_bytes)
        },
        grow(bytes, gone) {
          const unreserved_bytes = Math.max(0, bytes - share.reserved_bytes)
          share.reserved_bytes -= bytes - unreserved_bytes
          return unreserved_bytes === 0 ? undefined : takeOrWait(memory, share, unreserved_bytes, gone)
        },
        release() {
          clearTimeout(share.timer)
          give(memory, share, share.held_bytes)
        },
      }
    },
  }
}

function takeOrWait(
  memory: Memory,
  share: Share,
  bytes: number,
  gone: AbortSignal,
): Promise<void> | undefined {
  const { wait_ms } = memory.options
  if (!fits(memory, share, bytes)) return waitIn(memory.waiting, { share, bytes }, { wait_ms, gone })
  take(memory, share, bytes)
  return undefined
}

function keepReserved(memory: Memory, share: Share, bytes: number): undefined {
  share.reserved_bytes = bytes
  share.timer = setTimeout(() => {
    // A body that was released meanwhile holds nothing.
    give(memory, share, Math.min(share.reserved_bytes, share.held_bytes))
    share.reserved_bytes = 0
  }, memory.options.reserved_ms)
}

/**
 * Whether there is room. For the oldest body of an account there is, whatever its account holds, and for the oldest of
 * all, whatever anybody holds: otherwise bodies that all came half-way would wait for each other.
 */
function fits({ options, held_bytes, held_by, shares }: Memory, share: Share, bytes: number): boolean {
  const { account_id } = share
  if (isOldest(shares, share)) return true
  if (held_bytes + bytes > options.limit_bytes) return false
  if ((held_by.get(account_id) ?? 0) + bytes <= options.account_limit_bytes) return true
  return isOldest(
    shares.values().filter((other) => other.account_id === account_id),
    share,
  )
}

/** A share is among those of the memory from its first bytes on. */
function isOldest(shares: Iterable<Share>, share: Share): boolean {
  for (const oldest of shares) return oldest === share
  return true
}

function take(memory: Memory, share: Share, bytes: number): void {
  const { account_id } = share
  memory.shares.add(share)
  share.held_bytes += bytes
  memory.held_bytes += bytes
  memory.held_by.set(account_id, (memory.held_by.get(account_id) ?? 0) + bytes)
}

function give(memory: Memory, share: Share, bytes: number): void {
  const { account_id } = share
  const left_bytes = (memory.held_by.get(account_id) ?? 0) - bytes
  memory.held_bytes -= bytes
  share.held_bytes -= bytes
  if (share.held_bytes === 0) memory.shares.delete(share)
  if (left_bytes > 0) memory.held_by.set(account_id, left_bytes)
  else memory.held_by.delete(account_id)
  admitWaiting(memory)
}

/** In the order of arrival; a body that waits for its own account's limit delays no other account. */
function admitWaiting(memory: Memory): void {
  for (const entry of [...memory.waiting]) {
    if (!fits(memory, entry.share, entry.bytes)) continue
    memory.waiting.splice(memory.waiting.indexOf(entry), 1)
    take(memory, entry.share, entry.bytes)
    entry.admit()
  }
}
