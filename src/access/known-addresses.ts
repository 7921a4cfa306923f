// Addresses from which people have signed in to the console: nobody else's failures hold them up there, also after a restart.
import type { Database } from 'bun:sqlite'
import { placeOf } from './place.ts'
import { knownAddressQueries } from './session-queries.ts'

const DAY_MS = 86_400_000
/** Beyond these days without a sign-in an address is forgotten: by then it is often somebody else's. */
const KNOWN_FOR_MS = 90 * DAY_MS
/** Of one person, the newest: each is a place from which more may be guessed. */
const MAX_PER_PERSON = 20

/** Who signs in, and where from. */
export interface SigningIn {
  /** Null: the operator. */
  account_id: number | null
  /** Undefined where it is not known, which is no place to remember. */
  address: string | undefined
  now_ms: number
}

/** Whether a person has signed in from an address before, by password or by link. */
export function isKnownAddress(db: Database, { account_id, address, now_ms }: SigningIn): boolean {
  const place = placeOf(address)
  if (place === undefined) return false
  const found = knownAddressQueries(db).find.get({ account_id, place })
  return found !== undefined && found.signed_in_at_ms > now_ms - KNOWN_FOR_MS
}

/** Remembers where somebody has signed in; of their places the oldest makes room. In the caller's transaction. */
export function rememberAddress(db: Database, { account_id, address, now_ms }: SigningIn): void {
  const place = placeOf(address)
  if (place === undefined) return
  const { remove, insert, removeOldest } = knownAddressQueries(db)
  remove.run({ account_id, place })
  insert.run({ account_id, place, signed_in_at_ms: now_ms })
  removeOldest.run({ account_id, kept: MAX_PER_PERSON })
}

/** Forgets all of a person's: who signed in there may have been somebody else. */
export const forgetAddresses = (db: Database, account_id: number | null): void => {
  knownAddressQueries(db).removeOfAccount.run({ account_id })
}

/** Deletes those that are too old. */
export const sweepAddresses = (db: Database, now_ms: number): void => {
  knownAddressQueries(db).removeOlder.run({ until_ms: now_ms - KNOWN_FOR_MS })
}
