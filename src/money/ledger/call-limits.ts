// Limits of accounts and keys that several gateways count together: a batch's counts, and the limit that a hold would exceed. Pure.
import type { Limit } from '../../domain/call-limits.ts'
import { totalTokens } from '../../domain/usage.ts'
import type { LimitReached } from './limit-refusals.ts'
import type { CallRecord, HoldLimits, Refusal } from './operations.ts'

/** The owner of a limit. */
export type Scope = LimitReached['of']

/** Counts since a second began, in seconds since 1970. */
export interface CountedSecond {
  at_s: number
  requests: number
  tokens: number
}

/** Counts for the limits of an account or a key. */
export interface Counted {
  /** Holds of calls that are under way. */
  pending: number
  /** Oldest first. */
  seconds: CountedSecond[]
}

/** Additions to the second in which the batch is decided. */
interface AddedCount extends CountedSecond {
  scope: Scope
  id: number
}

/** A batch's counts: those read for the limits that it decides by, and those that it adds. */
export interface Counts {
  /** On the database's clock, under the batch's locks. */
  readonly now_s: number
  readonly account: Map<number, Counted>
  readonly key: Map<number, Counted>
  readonly added: Map<string, AddedCount>
}

type LimitOwner = Readonly<Record<`${Scope}_id`, number>>
interface LimitRefusal {
  refusal: Refusal
  limit: LimitReached
}

const WINDOW_S = 60
/** In the order in which call limits are checked elsewhere. */
export const SCOPES = ['account', 'key'] as const satisfies Scope[]

export const noCounts = (now_s: number): Counts => ({
  now_s,
  account: new Map(),
  key: new Map(),
  added: new Map(),
})

/** Whether a second still counts. Whole seconds count, so that no 60 seconds exceed the limit. A clock set back leaves some in the future. */
export const isCountedAt = ({ at_s }: CountedSecond, now_s: number): boolean =>
  at_s >= now_s - WINDOW_S && at_s <= now_s + WINDOW_S

/** Returns the limit that one more call would exceed; undefined: none. */
export function limitReached(
  { now_s, ...counts }: Counts,
  owner: LimitOwner,
  limits: HoldLimits,
): LimitRefusal | undefined {
  for (const of of SCOPES) {
    const limit = limits[of]
    const counted = counts[of].get(owner[`${of}_id`])
    const reached = limit && counted && exceededLimit(counted, limit, now_s)
    if (reached) return { refusal: reached.refusal, limit: { of, retry_after_s: reached.retry_after_s } }
  }
  return undefined
}

/** Used because the end of a running call is unknown. */
const UNKNOWN_S = 1

function exceededLimit(
  { pending, seconds }: Counted,
  { requests_per_minute, tokens_per_minute, concurrent_calls }: Limit,
  now_s: number,
): { refusal: Refusal; retry_after_s: number } | undefined {
  const until = (count: 'requests' | 'tokens', limit: number) => untilBelow(seconds, count, limit) - now_s
  if (requests_per_minute !== undefined && sumOf(seconds, 'requests') >= requests_per_minute)
    return { refusal: 'limit_requests', retry_after_s: until('requests', requests_per_minute) }
  if (tokens_per_minute !== undefined && sumOf(seconds, 'tokens') >= tokens_per_minute)
    return { refusal: 'limit_tokens', retry_after_s: until('tokens', tokens_per_minute) }
  if (concurrent_calls !== undefined && pending >= concurrent_calls)
    return { refusal: 'limit_concurrency', retry_after_s: UNKNOWN_S }
  return undefined
}

const sumOf = (seconds: readonly CountedSecond[], count: 'requests' | 'tokens'): number =>
  seconds.reduce((sum, second) => sum + second[count], 0)

/** @returns the second when the count falls below the limit if nothing is added; in seconds since 1970 */
function untilBelow(seconds: readonly CountedSecond[], count: 'requests' | 'tokens', limit: number): number {
  let sum = sumOf(seconds, count)
  let last_s = 0
  for (const second of seconds) {
    if (sum < limit) break
    sum -= second[count]
    last_s = second.at_s
  }
  return last_s + WINDOW_S + 1
}

/** Counts an admitted call. */
export function countRequest(counts: Counts, owner: LimitOwner, limits: HoldLimits): void {
  for (const of of SCOPES)
    if (limits[of]?.requests_per_minute !== undefined)
      add(counts, of, owner[`${of}_id`], { requests: 1, tokens: 0 })
}

/**
 * Counts the tokens of a charged call from its end on, if that is recent enough to count.
 * @param ended_ms milliseconds since 1970
 */
export function countTokens(
  counts: Counts,
  owner: LimitOwner,
  limits: HoldLimits,
  { call, ended_ms }: { call: CallRecord; ended_ms: number },
): void {
  const tokens = totalTokens(call)
  if (tokens === 0 || ended_ms < (counts.now_s - WINDOW_S) * 1_000) return
  for (const of of SCOPES)
    if (limits[of]?.tokens_per_minute !== undefined)
      add(counts, of, owner[`${of}_id`], { requests: 0, tokens })
}

/** Counts an opened hold (1), or a resolved pending one (-1). */
export function countPending(counts: Counts, owner: LimitOwner, by: 1 | -1): void {
  for (const of of SCOPES) {
    const counted = counts[of].get(owner[`${of}_id`])
    if (counted) counted.pending += by
  }
}

function add(
  counts: Counts,
  scope: Scope,
  id: number,
  { requests, tokens }: Omit<CountedSecond, 'at_s'>,
): void {
  const { now_s: at_s, added } = counts
  const name = `${scope} ${id}`
  const known = added.get(name)
  added.set(name, {
    scope,
    id,
    at_s,
    requests: (known?.requests ?? 0) + requests,
    tokens: (known?.tokens ?? 0) + tokens,
  })
  counts[scope].get(id)?.seconds.push({ at_s, requests, tokens })
}
