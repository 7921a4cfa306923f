// Passwords of the console: what one must be, its hash, and a check that takes as long for people who do not exist.

import { invalidRequest, overloaded } from '../domain/errors.ts'
import type { Db } from '../store/db.ts'
import { createSlots } from '../utilities/slots.ts'
import { lockPerson } from './people.ts'
import { passwordQueries } from './session-queries.ts'

/** With the limits on attempts, more than can be guessed. NIST SP 800-63B asks for 8 at the least, and no rules of composition. */
export const MIN_PASSWORD_CHARS = 12
/** Far beyond any passphrase; hashing takes time for each of them. */
const MAX_PASSWORD_CHARS = 256

/** 19 MB and two passes: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const COST = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** Each takes 19 MB, a thread of the pool that images are converted on, and a processor that paid calls may need. */
const MAX_AT_ONCE = 1
/** They are done within a few seconds; more than that is an attack. */
const MAX_WAITING = 32
/** For those who are known, who are not kept out by strangers that fill the places. */
const MAX_KNOWN_WAITING = 8

/** The hash of no password, at the same cost: it is checked for people who have none. */
const UNUSABLE_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGhhcyB0aGlzIHBhc3N3b3JkLCBub2JvZHk$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

/**
 * Hashes of another gateway: new-api's are of Go's bcrypt (https://github.com/QuantumNous/new-api, common/crypto.go). A cost above 12 takes
 * a processor longer than a sign-in may.
 */
const BCRYPT = /^\$2[aby]\$(0[4-9]|1[0-2])\$[./A-Za-z0-9]{53}$/
/** The hash of discarded random bytes, at Go's default cost. */
const UNUSABLE_BCRYPT = '$2b$10$.mX.liuytiYL35USLXgV9eyvctBgvGst1JVW1CHIjRgl7wwT1NNMC'
/** Bcrypt reads no more. Go's wrote hashes of longer passwords until 2022; Bun would hash those first. */
const MAX_BCRYPT_BYTES = 72

/** Whether a hash is one of another gateway that a password can be checked by. */
export const isImportedHash = (hash: string): boolean => BCRYPT.test(hash)

/** Hashing and checking, off the event loop and few at once. */
export interface Passwords {
  /** @throws GatewayError overloaded while too many wait */
  hash(password: string): Promise<string>
  /**
   * Whether it is the password of this hash. It takes as long without a hash, and is false.
   *
   * @throws GatewayError overloaded while too many wait
   */
  verify(password: string, hash: string | undefined, check?: PasswordCheck): Promise<boolean>
}

interface PasswordCheck {
  /** The person has signed in from the same address before. */
  is_known?: boolean
  /** Hashes of another gateway are left: each check uses both algorithms, so that its time does not reveal which hash an account has. */
  has_imported?: boolean
}

export function createPasswords(): Passwords {
  const inSlot = createSlots(MAX_AT_ONCE)
  let pending = 0
  async function runLimited<T>(work: () => Promise<T>, is_known: boolean): Promise<T> {
    if (pending >= MAX_AT_ONCE + MAX_WAITING + (is_known ? MAX_KNOWN_WAITING : 0))
      throw overloaded('Too many people are signing in at the moment. Try again in a few seconds.', {
        retry_after_s: 5,
      })
    pending += 1
    try {
      return await inSlot(work)
    } finally {
      pending -= 1
    }
  }
  return {
    hash: (password) => runLimited(() => Bun.password.hash(normal(password), COST), true),
    verify: async (password, hash = UNUSABLE_HASH, { is_known = false, has_imported = false } = {}) =>
      password.length > 0 &&
      password.length <= MAX_PASSWORD_CHARS &&
      (await runLimited(() => isPasswordOf(password, hash, has_imported), is_known)),
  }
}

async function isPasswordOf(password: string, hash: string, has_imported: boolean): Promise<boolean> {
  const is_imported = isImportedHash(hash)
  const by_ours =
    (!is_imported || has_imported) &&
    (await Bun.password.verify(normal(password), is_imported ? UNUSABLE_HASH : hash))
  const by_bcrypt =
    (is_imported || has_imported) && (await isOfBcrypt(password, is_imported ? hash : UNUSABLE_BCRYPT))
  return is_imported ? by_bcrypt : by_ours
}

/** The other gateway hashed the bytes as typed, in any Unicode form; most passwords are the same in all forms. */
async function isOfBcrypt(password: string, hash: string): Promise<boolean> {
  const forms = new Set([password, password.normalize('NFC'), password.normalize('NFD'), normal(password)])
  for (const form of forms)
    if (await Bun.password.verify(Buffer.from(form).subarray(0, MAX_BCRYPT_BYTES), hash)) return true
  return false
}

/** The same characters typed on different keyboards are the same password (NIST SP 800-63B, 3.1.1.2). */
const normal = (password: string): string => password.normalize('NFKC')

/**
 * @param param the field that it was typed into
 * @throws GatewayError invalid_request for one that is too short or too long
 */
export function checkPassword(password: string, param: string): void {
  // Characters as people count them.
  const chars = [...password].length
  if (chars < MIN_PASSWORD_CHARS)
    throw invalidRequest(
      `${param}: must have at least ${MIN_PASSWORD_CHARS} characters. A few random words work well.`,
      { param },
    )
  if (password.length > MAX_PASSWORD_CHARS)
    throw invalidRequest(`${param}: must have at most ${MAX_PASSWORD_CHARS} characters.`, { param })
}

/** The hash of a person's password; undefined if none is set. */
export async function hashOf(db: Db, person_id: number): Promise<string | undefined> {
  const found = await passwordQueries(db).ofPerson.get({ person_id })
  return found?.hash
}

/** Whether anybody has a hash of another gateway. */
export const hasImportedHashes = async (db: Db): Promise<boolean> =>
  (await passwordQueries(db).anyImported.get()) !== undefined

/** Sets a person's password, in place of the old one. @param hash as `Passwords.hash` makes it, or an imported one */
export function setPassword(
  db: Db,
  { person_id, hash, now_ms }: { person_id: number; hash: string; now_ms: number },
): Promise<void> {
  return db.begin(async (tx) => {
    await lockPerson(tx, person_id)
    const { remove, insert } = passwordQueries(tx)
    await remove.run({ person_id })
    await insert.run({ person_id, hash, set_at_ms: now_ms })
  })
}

/**
 * Puts a hash of our own in the place of one of another gateway, now that the password is known. It may be shorter than a new one must be.
 *
 * @param hash the stored one, of which it is the password
 * @returns the hash that is stored now; undefined if it is of another password
 * @throws GatewayError overloaded while too many wait
 */
export async function ownHash(
  db: Db,
  passwords: Passwords,
  person: { person_id: number; password: string; hash: string | undefined; now_ms: number },
): Promise<string | undefined> {
  const { person_id, password, hash, now_ms } = person
  if (hash === undefined || !isImportedHash(hash)) return hash
  const own = await passwords.hash(password)
  const stored = await db.begin(async (tx) => {
    await lockPerson(tx, person_id)
    const current = await hashOf(tx, person_id)
    if (current === hash) await setPassword(tx, { person_id, hash: own, now_ms })
    return current === hash ? own : current
  })
  // Another sign-in at the same time may have done so.
  const is_same = stored === own || (await passwords.verify(password, stored, { is_known: true }))
  return is_same ? stored : undefined
}
