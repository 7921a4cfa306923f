// Rate limits of accounts and keys: calls and tokens in any 60 seconds, and concurrent calls.
import { type Limit, type Limits, WINDOW_MS } from '../domain/call-limits.ts'
import type { Awaitable, Db } from '../store/db.ts'
import { callRatesOf } from '../store/engines/postgres/rates.ts'
import type { Key } from '../store/schema.ts'
import { SlidingWindow } from './window.ts'

/** The limits that apply to a call. */
export interface CallLimits {
  account: Limit
  key: Limit
}

interface Admission extends CallLimits {
  account_id: number
  key_id: number
}

/** An admitted call, counted as running until it is released. */
export interface Lease {
  /** Ends the call and counts its tokens. Further calls do nothing. */
  release(tokens_used?: number): void
}

interface LimitRefusal {
  ok: false
  limit: keyof Limit
  of: keyof CallLimits
  /** Whole seconds, at least 1, until the same call can be admitted; 1 if that depends on running calls. */
  retry_after_s: number
}

type AdmissionOutcome = { ok: true; lease: Lease } | LimitRefusal

export interface Limiter {
  /**
   * Admits a call, or returns the limit that it would exceed. The account's limits are checked before the key's, and a refused
   * call is not counted. Tokens are known only at the end of a call, so a call is admitted while the tokens of the last 60
   * seconds are below the limit. Counting begins when a limit is first set.
   */
  admit(admission: Admission): AdmissionOutcome
  /**
   * Stops counting the request of an admitted call that the shared limit of all gateways refused. Call it once, before the lease is released.
   */
  takeBack(admission: Admission): void
  /** The current use of each limit; 0 for a limit that is not set. */
  used(of: keyof CallLimits, id: number): Awaitable<Record<keyof Limit, number>>
  /** Number of accounts and keys with counts in memory. */
  readonly size: number
}

/** A limiter with synchronous reads, which counts only this process. */
interface OwnLimiter extends Limiter {
  used(of: keyof CallLimits, id: number): Record<keyof Limit, number>
}

const NO_LIMIT: Limit = Object.freeze({})
const NOTHING_USED = Object.freeze({ requests_per_minute: 0, tokens_per_minute: 0, concurrent_calls: 0 })

/**
 * Returns the limits of a call: the catalogue's defaults, overridden by those of this account or key. For concurrent calls of a key, the lower of
 * the catalogue's and the key's own limit.
 *
 * @param account_name NAME of `[limits.accounts.NAME]`
 * @param key with the PREFIX of `[limits.keys.PREFIX]`
 */
export function limitsFor(
  limits: Pick<Limits, 'account' | 'key' | 'accounts' | 'keys'>,
  account_name: string,
  key: Pick<Key, 'prefix' | 'concurrent_calls'>,
): CallLimits {
  return {
    account: withOverrides(limits.account, limits.accounts, account_name),
    key: withKeyLimit(withOverrides(limits.key, limits.keys, key.prefix), key.concurrent_calls),
  }
}

/** The limits of an account in the catalogue. */
export const accountLimit = (limits: Limits, account_name: string): Limit =>
  withOverrides(limits.account, limits.accounts, account_name)

function withKeyLimit(limit: Limit, concurrent_calls: number | null): Limit {
  if (concurrent_calls === null || concurrent_calls >= (limit.concurrent_calls ?? Infinity)) return limit
  return { ...limit, concurrent_calls }
}

function withOverrides(
  base: Limit = NO_LIMIT,
  overrides: Record<string, Limit> | undefined,
  name: string,
): Limit {
  if (!overrides || !Object.hasOwn(overrides, name)) return base
  return { ...base, ...overrides[name] }
}

/**
 * Creates a limiter with counts in memory.
 *
 * @param now milliseconds of a monotonic clock, such as `performance.now`
 */
export function createLimiter({ now }: { now: () => number }): OwnLimiter {
  const accounts = new Map<number, Tally>()
  const keys = new Map<number, Tally>()
  let next_sweep = 0

  /** Drops empty tallies, at most once in 60 seconds. */
  const sweep = (at: number): void => {
    if (at < next_sweep) return
    next_sweep = at + WINDOW_MS
    for (const tallies of [accounts, keys])
      for (const [id, tally] of tallies) if (tally.isIdle(at)) tallies.delete(id)
  }

  return {
    admit({ account_id, key_id, account, key }) {
      const limits_account = hasLimit(account)
      const limits_key = hasLimit(key)
      if (!limits_account && !limits_key) return UNCOUNTED
      const at = now()
      sweep(at)
      const refusal =
        accounts.get(account_id)?.refusal(account, 'account', at) ?? keys.get(key_id)?.refusal(key, 'key', at)
      if (refusal) return refusal
      if (limits_account) tallyOf(accounts, account_id).count(account, at)
      if (limits_key) tallyOf(keys, key_id).count(key, at)
      const on_account = countsEnd(account) ? tallyOf(accounts, account_id) : undefined
      const on_key = countsEnd(key) ? tallyOf(keys, key_id) : undefined
      if (!on_account && !on_key) return UNCOUNTED
      return { ok: true, lease: new CountedLease(on_account, on_key, now) }
    },
    takeBack({ account_id, key_id, account, key }) {
      const at = now()
      if (account.requests_per_minute !== undefined) accounts.get(account_id)?.takeBack(at)
      if (key.requests_per_minute !== undefined) keys.get(key_id)?.takeBack(at)
    },
    used(of, id) {
      return (of === 'account' ? accounts : keys).get(id)?.usedAt(now()) ?? NOTHING_USED
    },
    get size() {
      return accounts.size + keys.size
    },
  }
}

/** Whether any limit is set. */
export const hasLimit = (limit: Limit): boolean => limit.requests_per_minute !== undefined || countsEnd(limit)

/** Whether a limit counts the end of calls, and not only their start. */
const countsEnd = (limit: Limit): boolean =>
  limit.tokens_per_minute !== undefined || limit.concurrent_calls !== undefined

function tallyOf(tallies: Map<number, Tally>, id: number): Tally {
  const known = tallies.get(id)
  if (known) return known
  const tally = new Tally()
  tallies.set(id, tally)
  return tally
}

/** The counts of one account or key. */
class Tally {
  readonly #requests = new SlidingWindow()
  readonly #tokens = new SlidingWindow()
  #running = 0

  /** The refusal of one more call; undefined if every limit admits it. */
  refusal(limit: Limit, of: keyof CallLimits, at: number): LimitRefusal | undefined {
    const { requests_per_minute, tokens_per_minute, concurrent_calls } = limit
    if (requests_per_minute !== undefined && this.#requests.sum(at) >= requests_per_minute)
      return refuse('requests_per_minute', of, this.#requests.untilBelow(requests_per_minute, at))
    if (tokens_per_minute !== undefined && this.#tokens.sum(at) >= tokens_per_minute)
      return refuse('tokens_per_minute', of, this.#tokens.untilBelow(tokens_per_minute, at))
    if (concurrent_calls !== undefined && this.#running >= concurrent_calls)
      return refuse('concurrent_calls', of, UNKNOWN_MS)
    return undefined
  }

  count(limit: Limit, at: number): void {
    if (limit.requests_per_minute !== undefined) this.#requests.add(at, 1)
  }

  takeBack(at: number): void {
    this.#requests.takeBack(at, 1)
  }

  begin(): void {
    this.#running++
  }

  end(tokens_used: number, at: number): void {
    this.#running--
    if (tokens_used > 0) this.#tokens.add(at, tokens_used)
  }

  usedAt(at: number): Record<keyof Limit, number> {
    return {
      requests_per_minute: this.#requests.sum(at),
      tokens_per_minute: this.#tokens.sum(at),
      concurrent_calls: this.#running,
    }
  }

  isIdle(at: number): boolean {
    return this.#running === 0 && this.#requests.sum(at) === 0 && this.#tokens.sum(at) === 0
  }
}

/** The end of a running call is unknown. */
const UNKNOWN_MS = Number.POSITIVE_INFINITY

function refuse(limit: keyof Limit, of: keyof CallLimits, wait_ms: number): LimitRefusal {
  const retry_after_s = wait_ms === UNKNOWN_MS ? 1 : Math.max(1, Math.ceil(wait_ms / 1_000))
  return { ok: false, limit, of, retry_after_s }
}

class CountedLease implements Lease {
  readonly #account: Tally | undefined
  readonly #key: Tally | undefined
  readonly #now: () => number
  #released = false

  constructor(account: Tally | undefined, key: Tally | undefined, now: () => number) {
    this.#account = account
    this.#key = key
    this.#now = now
    account?.begin()
    key?.begin()
  }

  release(tokens_used = 0): void {
    if (this.#released) return
    this.#released = true
    const at = this.#now()
    this.#account?.end(tokens_used, at)
    this.#key?.end(tokens_used, at)
  }
}

/** Outcome for calls whose end is not counted. A shared object, since most gateways set no limits. */
const UNCOUNTED: AdmissionOutcome = Object.freeze({ ok: true, lease: Object.freeze({ release() {} }) })

/** Wraps a limiter, so that it admits by the counts of this process, but reports the use at all gateways of a database. */
export function withSharedCounts(limiter: OwnLimiter, db: Db): Limiter {
  return {
    admit: limiter.admit,
    takeBack: limiter.takeBack,
    async used(of, id) {
      const own = limiter.used(of, id)
      const { requests, tokens, pending } = await callRatesOf(db, of, id)
      // Only this process counts requests that were refused or cost nothing.
      return {
        requests_per_minute: Math.max(requests, own.requests_per_minute),
        tokens_per_minute: Math.max(tokens, own.tokens_per_minute),
        concurrent_calls: Math.max(pending, own.concurrent_calls),
      }
    },
    get size() {
      return limiter.size
    },
  }
}
