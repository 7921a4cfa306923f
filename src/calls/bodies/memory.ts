// The memory that large bodies use from arrival until they are sent upstream. All accounts share it; each may take only a part.
import { MAX_WAITING, tooBusy, type Waiting, waitIn } from './memory-budget.ts'

/** The memory of one body. */
export interface BodyShare {
  /**
   * Reserves memory before the bytes arrive, at once or as soon as there is room, up to the limit of one account. A reservation
   * whose bytes do not arrive in time is released for others.
   * @param gone fires when the caller disconnects; its reason is then thrown
   * @throws GatewayError rate_limited if there is no room in time, or if too many bodies wait
   */
  reserve(bytes: number, gone: AbortSignal): Promise<void> | undefined
  /**
   * Takes memory for more bytes, first from the reservation, at once or as soon as there is room.
   * @param gone fires when the caller disconnects; its reason is then thrown
   * @throws GatewayError rate_limited if there is no room in time, or if too many bodies wait
   */
  grow(bytes: number, gone: AbortSignal): Promise<void> | undefined
  /** Frees all of it. A second call does nothing. */
  release(): void
}

export interface BodyMemory {
  /**
   * Opens an empty share: a caller who has sent nothing holds nothing.
   * @param is_announced whether the length is known, so that the body can wait before it is read
   * @throws GatewayError rate_limited if too many bodies of unknown length have an open share
   */
  open(account_id: number, is_announced?: boolean): BodyShare
}

/** The most bodies of an account that wait, or whose length is unknown. */
const MAX_OF_ACCOUNT = MAX_WAITING / 2

interface BodyMemoryOptions {
  limit_bytes: number
  /** The most that one account may hold. */
  account_limit_bytes: number
  /** The longest time that a body waits for each of its parts. */
  wait_ms: number
  /** How long a reservation lasts. */
  reserved_ms: number
}

interface Share {
  account_id: number
  held_bytes: number
  /** The part of `held_bytes` that has not arrived yet. */
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
  /** In order of their first bytes, the oldest first. */
  shares: Set<Share>
  /** Open shares of bodies of unknown length. */
  unannounced: Set<Share>
  waiting: WaitingPart[]
}

export function createBodyMemory(options: BodyMemoryOptions): BodyMemory {
  const memory: Memory = {
    options,
    held_bytes: 0,
    held_by: new Map(),
    shares: new Set(),
    unannounced: new Set(),
    waiting: [],
  }
  return {
    open(account_id, is_announced = true) {
      const share: Share = { account_id, held_bytes: 0, reserved_bytes: 0, timer: undefined }
      if (!is_announced) {
        refuseCrowd([...memory.unannounced], share)
        memory.unannounced.add(share)
      }
      return {
        reserve(bytes, gone) {
          const allowed_bytes = Math.min(bytes, options.account_limit_bytes)
          const waiting = takeOrWait(memory, share, allowed_bytes, gone)
          if (waiting) return waiting.then(() => startReservation(memory, share, allowed_bytes))
          return startReservation(memory, share, allowed_bytes)
        },
        grow(bytes, gone) {
          const unreserved_bytes = Math.max(0, bytes - share.reserved_bytes)
          share.reserved_bytes -= bytes - unreserved_bytes
          return unreserved_bytes === 0 ? undefined : takeOrWait(memory, share, unreserved_bytes, gone)
        },
        release() {
          clearTimeout(share.timer)
          memory.unannounced.delete(share)
          releaseBytes(memory, share, share.held_bytes)
        },
      }
    },
  }
}

/** What arrives of a body before it can be refused is not counted, so the number of such bodies is limited. @throws GatewayError rate_limited */
function refuseCrowd(crowd: readonly Share[], { account_id }: Share): void {
  const of_account = crowd.filter((share) => share.account_id === account_id)
  if (crowd.length >= MAX_WAITING || of_account.length >= MAX_OF_ACCOUNT) throw tooBusy()
}

function takeOrWait(
  memory: Memory,
  share: Share,
  bytes: number,
  gone: AbortSignal,
): Promise<void> | undefined {
  const { wait_ms } = memory.options
  if (!fits(memory, share, bytes)) {
    refuseCrowd(
      memory.waiting.map((entry) => entry.share),
      share,
    )
    return waitIn(memory.waiting, { share, bytes }, { wait_ms, gone })
  }
  takeBytes(memory, share, bytes)
  return undefined
}

function startReservation(memory: Memory, share: Share, bytes: number): undefined {
  share.reserved_bytes = bytes
  share.timer = setTimeout(() => {
    // A body that was released in the meantime holds nothing.
    releaseBytes(memory, share, Math.min(share.reserved_bytes, share.held_bytes))
    share.reserved_bytes = 0
  }, memory.options.reserved_ms)
}

/**
 * Whether there is room. The oldest body of an account ignores its account's limit, and the oldest of all ignores every
 * limit: otherwise bodies that have each half arrived would wait for each other.
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

/** Whether this share is the oldest. A share joins the list with its first bytes. */
function isOldest(shares: Iterable<Share>, share: Share): boolean {
  for (const oldest of shares) return oldest === share
  return true
}

function takeBytes(memory: Memory, share: Share, bytes: number): void {
  const { account_id } = share
  memory.shares.add(share)
  share.held_bytes += bytes
  memory.held_bytes += bytes
  memory.held_by.set(account_id, (memory.held_by.get(account_id) ?? 0) + bytes)
}

function releaseBytes(memory: Memory, share: Share, bytes: number): void {
  const { account_id } = share
  const left_bytes = (memory.held_by.get(account_id) ?? 0) - bytes
  memory.held_bytes -= bytes
  share.held_bytes -= bytes
  if (share.held_bytes === 0) memory.shares.delete(share)
  if (left_bytes > 0) memory.held_by.set(account_id, left_bytes)
  else memory.held_by.delete(account_id)
  admitWaiting(memory)
}

/** Admits in order of arrival; a body that waits for its own account's limit delays no other account. */
function admitWaiting(memory: Memory): void {
  for (const entry of [...memory.waiting]) {
    if (!fits(memory, entry.share, entry.bytes)) continue
    memory.waiting.splice(memory.waiting.indexOf(entry), 1)
    takeBytes(memory, entry.share, entry.bytes)
    entry.admit()
  }
}
