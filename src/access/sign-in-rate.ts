// Rate limits of sign-ins: failed attempts in any 60 seconds, by address, by name, and in total.
// Failures of others do not block people at addresses from which they have signed in before, also after a restart.
import { isIP } from 'node:net'
import { plainAddress } from '../domain/addresses.ts'
import { rateLimited } from '../domain/errors.ts'
import { DAY_MS } from '../domain/ranges.ts'
import type { Db } from '../store/db.ts'
import { counted } from '../utilities/counted.ts'
import { knownAddressQueries } from './session-queries.ts'
import { Windows } from './window.ts'

/** Without a sign-in for this time an address is forgotten, since another person may have it by then. */
const KNOWN_FOR_MS = 90 * DAY_MS
/** Known addresses per person; the newest are kept. Each one allows additional guesses. */
const MAX_PER_PERSON = 20

/** A sign-in: the person and the address. */
interface SignIn {
  /** Undefined for an unknown name. */
  person_id: number | undefined
  /** Undefined if unknown; then nothing is remembered. */
  address: string | undefined
  now_ms: number
}

/** Whether a person has signed in from an address before, by password or by link. */
export async function isKnownAddress(db: Db, { person_id, address, now_ms }: SignIn): Promise<boolean> {
  const place = placeOf(address)
  if (place === undefined) return false
  // Also looked up for unknown people, so that the time is the same.
  const found = await knownAddressQueries(db).find.get({ person_id: person_id ?? 0, place })
  return found !== undefined && found.signed_in_at_ms > now_ms - KNOWN_FOR_MS
}

/** Remembers the address of a sign-in, in the caller's transaction. The oldest addresses of the person are dropped. */
export async function rememberAddress(
  tx: Db,
  { person_id, address, now_ms }: SignIn & { person_id: number },
): Promise<void> {
  const place = placeOf(address)
  if (place === undefined) return
  const { remove, insert, removeOldest } = knownAddressQueries(tx)
  await remove.run({ person_id, place })
  await insert.run({ person_id, place, signed_in_at_ms: now_ms })
  await removeOldest.run({ person_id, kept: MAX_PER_PERSON })
}

/** Forgets all addresses of a person, in the caller's transaction, since another person may have signed in there. */
export async function forgetAddresses(tx: Db, person_id: number): Promise<void> {
  await knownAddressQueries(tx).removeOfPerson.run({ person_id })
}

/** Deletes addresses that are too old, in the caller's transaction. */
export async function sweepAddresses(tx: Db, now_ms: number): Promise<void> {
  await knownAddressQueries(tx).removeOlder.run({ until_ms: now_ms - KNOWN_FOR_MS })
}

/**
 * Returns the first 64 bits of an IPv6 address, since a site has at least a /64 (RFC 6177), and an IPv4 address unchanged.
 *
 * @returns undefined for an invalid address
 */
export function placeOf(address: string | undefined): string | undefined {
  // The zone of a link-local address is dropped.
  const plain = address === undefined ? undefined : plainAddress(address.replace(/%.*/, ''))
  if (plain === undefined || isIP(plain) !== 6) return plain
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0')
  return [...groups, ...zeros, ...after].slice(0, 4).join(':')
}

/** Failures per address and name. */
const MAX_OF_VISITOR = 10
const MAX_OF_ADDRESS = 20
/** Failures per name from all addresses: too few to guess a password of the minimum length. */
const MAX_OF_NAME = 100
/** Failures in total: each check takes about 20 ms of processor time, a fifth of a processor at this rate. */
const MAX_OF_ALL = 600
/** Successful sign-ins per person or key: each is a check, a session and a write. */
const MAX_VISITS = 60
/** Mails that visitors request in any hour, per person and per address. */
const MAX_MAILS_OF_PERSON = 5
const MAX_MAILS_OF_ADDRESS = 20
/** Length of the windows of mails. Windows last a minute of their clock, so theirs is slowed down by this factor. */
const MAIL_WINDOW_MINUTES = 60
/** Stands for an unknown address. */
const UNKNOWN = 'unknown'
/** Maximum number of windows; the oldest are dropped. */
const MAX_WINDOWS = 10_000

/** An attempt to sign in with a password. */
interface Attempt {
  /** Undefined if unknown; all unknown addresses count together. */
  address: string | undefined
  name: string
  /** Whether the person has signed in from this address before: then failures of others do not block them. */
  is_known: boolean
}

export interface SignInRate {
  /**
   * Counts an attempt before the password is checked, so that concurrent attempts cannot exceed the limit.
   *
   * @returns a function that takes the attempt back after a success
   * @throws GatewayError rate_limited
   */
  attempt(attempt: Attempt): () => void
  /**
   * Counts a wrong guess of an unguessable secret, such as a key or a link. A right one is never blocked.
   *
   * @throws GatewayError rate_limited, instead of the guess's own error
   */
  guessed(address: string | undefined): void
  /** Counts a successful sign-in. @param who unique name of the person or key @throws GatewayError rate_limited */
  visit(who: string): void
  /**
   * Counts a mail that a visitor requests for a person, who may not exist.
   *
   * @throws GatewayError rate_limited
   */
  mail(mail: { email: string; address: string | undefined }): void
  /** Number of windows in memory. */
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
      const at = now() / MAIL_WINDOW_MINUTES
      const counts = [
        { id: `to ${email}`, max: MAX_MAILS_OF_PERSON },
        { id: `from ${placeOf(address) ?? UNKNOWN}`, max: MAX_MAILS_OF_ADDRESS },
      ]
      const waits_ms = counts.map(({ id, max }) => mails.untilBelow(id, max, at) * MAIL_WINDOW_MINUTES)
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
