// The rate limit of sign-ins: failed attempts in any 60 seconds, by where they come from, whom they are for, and of all together.
import { rateLimited } from '../domain/errors.ts'
import { placeOf } from './place.ts'
import { Windows } from './window.ts'

/** Of one address for one name. */
const MAX_OF_VISITOR = 10
const MAX_OF_ADDRESS = 20
/** Of all addresses for one name: a password of the least length is not guessed at this pace. */
const MAX_OF_NAME = 100
/** Of everybody: each check of a password takes some 20 ms of a processor, a fifth of one at this pace. */
const MAX_OF_ALL = 600
/** Of one person, by password or by key: each is a check, a session and a write. */
const MAX_VISITS = 60
/** In place of an address that is not known. */
const UNKNOWN = 'unknown'
/** Windows that are kept, of addresses and of names; beyond, the oldest are forgotten. */
const MAX_WINDOWS = 10_000

/** Somebody who tries a password. */
export interface Attempt {
  /** Undefined: not known; all of those count together. */
  address: string | undefined
  name: string
  /** Whether they have signed in by this name from this address before: others' failures do not hold them up. */
  is_known: boolean
}

export interface SignInRate {
  /**
   * Counts an attempt on somebody's password before it is judged, so that many at once do not slip through.
   *
   * @returns what takes the attempt back, once it has succeeded
   * @throws GatewayError rate_limited
   */
  attempt(attempt: Attempt): () => void
  /**
   * Counts a wrong guess at what nobody guesses, such as a key or a link: the right one is never held up.
   *
   * @throws GatewayError rate_limited, in place of what the guess would be told
   */
  guessed(address: string | undefined): void
  /** Counts a sign-in that succeeds. @param who another name for each person and key @throws GatewayError rate_limited */
  visit(who: string): void
  /** How many addresses and names are kept in memory. */
  readonly size: number
}

/** @param now milliseconds of a monotonic clock, such as `performance.now` */
export function createSignInRate(now: () => number): SignInRate {
  const by_visitor = new Windows<string>(MAX_WINDOWS)
  const by_address = new Windows<string>(MAX_WINDOWS)
  const by_name = new Windows<string>(MAX_WINDOWS)
  const of_all = new Windows<string>()
  const visits = new Windows<string>(MAX_WINDOWS)
  return {
    get size() {
      return by_visitor.size + by_address.size + by_name.size + visits.size
    },

    attempt({ address, name, is_known }) {
      const at = now()
      const place = placeOf(address) ?? UNKNOWN
      const visitor = `${place} ${name}`
      const counts = [
        { attempts: by_visitor, id: visitor, max: MAX_OF_VISITOR },
        { attempts: by_address, id: place, max: MAX_OF_ADDRESS },
        { attempts: by_name, id: name, max: MAX_OF_NAME },
        { attempts: of_all, id: '', max: MAX_OF_ALL },
      ]
      const judged = is_known ? counts.slice(0, 1) : counts
      const waits_ms = judged.map(({ attempts, id, max }) => attempts.untilBelow(id, max, at))
      refuseAbove(Math.max(...waits_ms), tooMany)
      refuseAbove(visits.untilBelow(name, MAX_VISITS, at), tooOften)
      for (const { attempts, id } of counts) attempts.of(id, at).add(at, 1)
      return () => {
        const success_at = now()
        for (const { attempts, id } of counts) attempts.of(id, success_at).add(success_at, -1)
        visits.of(name, success_at).add(success_at, 1)
      }
    },

    guessed(address) {
      const at = now()
      const place = placeOf(address) ?? UNKNOWN
      refuseAbove(by_address.untilBelow(place, MAX_OF_ADDRESS, at), tooMany)
      by_address.of(place, at).add(at, 1)
    },

    visit(who) {
      const at = now()
      refuseAbove(visits.untilBelow(who, MAX_VISITS, at), tooOften)
      visits.of(who, at).add(at, 1)
    },
  }
}

function refuseAbove(waits_ms: number, refusal: (retry_after_s: number) => Error): void {
  if (waits_ms > 0) throw refusal(Math.ceil(waits_ms / 1_000))
}

const tooMany = (retry_after_s: number) =>
  rateLimited(
    `Too many failed sign-in attempts. Try again in ${retry_after_s} s, or use a link from the operator (tollgate console link).`,
    { retry_after_s },
  )
const tooOften = (retry_after_s: number) =>
  rateLimited(`Too many sign-in attempts. Try again in ${retry_after_s} s.`, {
    retry_after_s,
  })
