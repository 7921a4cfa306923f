// The rate limit of sign-ins: failed attempts in any 60 seconds, by the address they come from and by the name they are for.
import { isIP } from 'node:net'
import { rateLimited } from '../domain/errors.ts'
import { SlidingWindow, WINDOW_MS } from './window.ts'

const MAX_OF_ADDRESS = 20
const MAX_OF_NAME = 10
/** Windows that are kept, of addresses and of names; beyond, the oldest are forgotten. */
const MAX_WINDOWS = 10_000

export interface SignInRate {
  /**
   * Counts an attempt before it is judged, so that many at once do not slip through.
   *
   * @param address undefined: not known; all of those count together
   * @param name whom it is for; undefined for what cannot be guessed by name, such as a key or a link
   * @returns what takes the attempt back, once it has succeeded
   * @throws GatewayError rate_limited
   */
  attempt(address: string | undefined, name?: string): () => void
  /** How many addresses and names are kept in memory. */
  readonly size: number
}

/** @param now milliseconds of a monotonic clock, such as `performance.now` */
export function createSignInRate(now: () => number): SignInRate {
  const by_address = new Attempts(MAX_OF_ADDRESS)
  const by_name = new Attempts(MAX_OF_NAME)
  return {
    get size() {
      return by_address.size + by_name.size
    },
    attempt(address, name) {
      const at = now()
      const place = address === undefined ? 'unknown' : networkOf(address)
      const waits_ms = Math.max(by_address.wait(place, at), name === undefined ? 0 : by_name.wait(name, at))
      if (waits_ms > 0) throw tooMany(Math.ceil(waits_ms / 1_000))
      by_address.count(place, 1, at)
      if (name !== undefined) by_name.count(name, 1, at)
      return () => {
        by_address.count(place, -1, now())
        if (name !== undefined) by_name.count(name, -1, now())
      }
    },
  }
}

const tooMany = (retry_after_s: number) =>
  rateLimited(
    `Too many attempts to sign in failed. Try again in ${retry_after_s} s. (The operator can make a link: tollgate console link.)`,
    { retry_after_s },
  )

/** Of an IPv6 address the first 64 bits: whoever has one has all of these (RFC 6177). */
function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0')
  return [...groups, ...zeros, ...after].slice(0, 4).join(':')
}

/** Failed attempts by address, or by name. */
class Attempts {
  readonly #limit: number
  readonly #windows = new Map<string, SlidingWindow>()
  #next_sweep_ms = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#windows.size
  }

  /** Milliseconds until another attempt is judged; 0: now. */
  wait(whose: string, at: number): number {
    return this.#windows.get(whose)?.untilBelow(this.#limit, at) ?? 0
  }

  count(whose: string, attempts: number, at: number): void {
    this.#makeRoom(at)
    const window = this.#windows.get(whose) ?? new SlidingWindow()
    window.add(at, attempts)
    this.#windows.set(whose, window)
  }

  #makeRoom(at: number): void {
    if (at >= this.#next_sweep_ms) {
      this.#next_sweep_ms = at + WINDOW_MS
      for (const [whose, window] of this.#windows) if (window.sum(at) <= 0) this.#windows.delete(whose)
    }
    const [oldest] = this.#windows.size >= MAX_WINDOWS ? this.#windows.keys() : []
    if (oldest !== undefined) this.#windows.delete(oldest)
  }
}
