// Addresses from which people have signed in to the console: nobody else's failures hold them up there, also after a restart.
import { DAY_MS } from '../domain/ranges.ts'
import type { Db } from '../store/db.ts'
import { placeOf } from './place.ts'
import { knownAddressQueries } from './session-queries.ts'

/** Beyond these days without a sign-in an address is forgotten: by then it is often somebody else's. */
const KNOWN_FOR_MS = 90 * DAY_MS
/** Of one person, the newest: each is a place from which more may be guessed. */
const MAX_PER_PERSON = 20

/** A sign-in: the person and the address. */
interface SigningIn {
  /** Null: the operator. */
  account_id: number | null
  /** Undefined where it is not known, which is no place to remember. */
  address: string | undefined
  now_ms: number
}

/** Whether a person has signed in from an address before, by password or by link. */
export async function isKnownAddress(db: Db, { account_id, address, now_ms }: SigningIn): Promise<boolean> {
  const place = placeOf(address)
  if (place === undefined) return false
  const found = await knownAddressQueries(db).find.get({ account_id, place })
  return found !== undefined && found.signed_in_at_ms > now_ms - KNOWN_FOR_MS
}

/** Remembers where somebody has signed in; of their places the oldest makes room. In the caller's transaction. */
export async function rememberAddress(tx: Db, { account_id, address, now_ms }: SigningIn): Promise<void> {
  const place = placeOf(address)
  if (place === undefined) return
  const { remove, insert, removeOldest } = knownAddressQueries(tx)
  await remove.run({ account_id, place })
  await insert.run({ account_id, place, signed_in_at_ms: now_ms })
  await removeOldest.run({ account_id, kept: MAX_PER_PERSON })
}

/** Forgets all of a person's: who signed in there may have been somebody else. In the caller's transaction. */
export async function forgetAddresses(tx: Db, account_id: number | null): Promise<void> {
  await knownAddressQueries(tx).removeOfAccount.run({ account_id })
}

/** Deletes those that are too old. In the caller's transaction. */
export async function sweepAddresses(tx: Db, now_ms: number): Promise<void> {
  await knownAddressQueries(tx).removeOlder.run({ until_ms: now_ms - KNOWN_FOR_MS })
}
