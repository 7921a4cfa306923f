// The rate limit of sign-ins: failed attempts in any 60 seconds, by where they come from, whom they are for, and of all together.
// Nobody else's failures hold people up at addresses from which they have signed in before, also after a restart.

import { isIP } from 'node:net'
import { plainAddress } from '../domain/addresses.ts'
import { rateLimited } from '../domain/errors.ts'
import { DAY_MS } from '../domain/ranges.ts'
import type { Db } from '../store/db.ts'
import { counted } from '../utilities/counted.ts'
import { knownAddressQueries } from './session-queries.ts'
import { Windows } from './window.ts'

/** Beyond these days without a sign-in an address is forgotten: by then it is often somebody else's. */
const KNOWN_FOR_MS = 90 * DAY_MS
/** Of one person, the newest: each is a place from which more may be guessed. */
const MAX_PER_PERSON = 20

/** A sign-in: the person and the address. */
interface SigningIn {
  /** Undefined: nobody is called so. */
  person_id: number | undefined
  /** Undefined where it is not known, which is no place to remember. */
  address: string | undefined
  now_ms: number
}

/** Whether a person has signed in from an address before, by password or by link. */
export async function isKnownAddress(db: Db, { person_id, address, now_ms }: SigningIn): Promise<boolean> {
  const place = placeOf(address)
  if (place === undefined) return false
  // Looked up for nobody, too, so that it takes as long.
  const found = await knownAddressQueries(db).find.get({ person_id: person_id ?? 0, place })
  return found !== undefined && found.signed_in_at_ms > now_ms - KNOWN_FOR_MS
}

/** Remembers where somebody has signed in; of their places the oldest makes room. In the caller's transaction. */
export async function rememberAddress(
  tx: Db,
  { person_id, address, now_ms }: SigningIn & { person_id: number },
): Promise<void> {
  const place = placeOf(address)
  if (place === undefined) return
  const { remove, insert, removeOldest } = knownAddressQueries(tx)
  await remove.run({ person_id, place })
  await insert.run({ person_id, place, signed_in_at_ms: now_ms })
  await removeOldest.run({ person_id, kept: MAX_PER_PERSON })
}

/** Forgets all of a person's: who signed in there may have been somebody else. In the caller's transaction. */
export async function forgetAddresses(tx: Db, person_id: number): Promise<void> {
  await knownAddressQueries(tx).removeOfPerson.run({ person_id })
}

/** Deletes those that are too old. In the caller's transaction. */
export async function sweepAddresses(tx: Db, now_ms: number): Promise<void> {
  await knownAddressQueries(tx).removeOlder.run({ until_ms: now_ms - KNOWN_FOR_MS })
}

/**
 * Of an IPv6 address the first 64 bits: whoever has one has all of these (RFC 6177).
 *
 * @returns undefined for what is no address
 */
export function placeOf(address: string | undefined): string | undefined {
  // One with a zone is of this link: it has no other network.
  const plain = address === undefined ? undefined : plainAddress(address.replace(/%.*/, ''))
  if (plain === undefined || isIP(plain) !== 6) return plain
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0')
  return [...groups, ...zeros, ...after].slice(0, 4).join(':')
}

/** Of one address for one name. */
const MAX_OF_VISITOR = 10
const MAX_OF_ADDRESS = 20
/** Of all addresses for one name: a password of the least length is not guessed at this pace. */
const MAX_OF_NAME = 100
/** Of everybody: each check of a password takes some 20 ms of a processor, a fifth of one at this pace. */
const MAX_OF_ALL = 600
/** Of one person, by password or by key: each is a check, a session and a write. */
const MAX_VISITS = 60
/** Of mails that visitors ask for, in any hour: for one person, and from one address. */
const MAX_MAILS_OF_PERSON = 5
const MAX_MAILS_OF_ADDRESS = 20
/** The windows are of a minute: with a clock that goes so much slower, of an hour. */
const MINUTES_OF_MAILS = 60
/** In place of an address that is not known. */
const UNKNOWN = 'unknown'
/** Windows that are kept, of addresses and of names; beyond, the oldest are forgotten. */
const MAX_WINDOWS = 10_000

/** Somebody who tries a password. */
interface Attempt {
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
  /**
   * Counts a mail that a visitor asks for, to a person who may not exist.
   *
   * @throws GatewayError rate_limited
   */
  mail(mail: { email: string; address: string | undefined }): void
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
  const mails = new Windows<string>(MAX_WINDOWS)
  return {
    get size() {
      return by_visitor.size + by_address.size + by_name.size + visits.size + mails.size
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

    mail({ email, address }) {
      const at = now() / MINUTES_OF_MAILS
      const counts = [
        { id: `to ${email}`, max: MAX_MAILS_OF_PERSON },
        { id: `from ${placeOf(address) ?? UNKNOWN}`, max: MAX_MAILS_OF_ADDRESS },
      ]
      const waits_ms = counts.map(({ id, max }) => mails.untilBelow(id, max, at) * MINUTES_OF_MAILS)
      refuseAbove(Math.max(...waits_ms), tooManyMails)
      for (const { id } of counts) mails.of(id, at).add(at, 1)
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
const tooManyMails = (retry_after_s: number) =>
  rateLimited(
    `Too many mails. Use the newest one, or try again in ${counted(Math.ceil(retry_after_s / 60), 'minute')}.`,
    { retry_after_s },
  )
const tooOften = (retry_after_s: number) =>
  rateLimited(`Too many sign-in attempts. Try again in ${retry_after_s} s.`, {
    retry_after_s,
  })
