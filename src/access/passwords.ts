// Console passwords: requirements, hashing, and verification in constant time for existing and unknown people.
import { invalidRequest, overloaded } from '../domain/errors.ts'
import type { Db } from '../store/db.ts'
import { createSlots } from '../utilities/slots.ts'
import { lockPerson } from './people.ts'
import { passwordQueries } from './session-queries.ts'

/** With the limits on attempts, not guessable. NIST SP 800-63B requires at least 8, and no composition rules. */
export const MIN_PASSWORD_CHARS = 12
/** Longer than any passphrase; bounds the time of hashing. */
const MAX_PASSWORD_CHARS = 256

/** 19 MB and two passes: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const COST = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** Each hash takes 19 MB, a thread of the pool that also converts images, and processor time that paid calls may need. */
const MAX_AT_ONCE = 1
/** This queue is done within a few seconds; a longer one is an attack. */
const MAX_WAITING = 32
/** Additional places for people at known addresses, so that strangers cannot lock them out by filling the queue. */
const MAX_KNOWN_WAITING = 8

/** Matches no password, at the same cost: checked for people without a password. */
const UNUSABLE_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGhhcyB0aGlzIHBhc3N3b3JkLCBub2JvZHk$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

/**
 * Imported hashes: new-api uses Go's bcrypt (https://github.com/QuantumNous/new-api, common/crypto.go). A cost above 12 would take too long for a
 * sign-in.
 */
const BCRYPT = /^\$2[aby]\$(0[4-9]|1[0-2])\$[./A-Za-z0-9]{53}$/
/** The hash of discarded random bytes, at Go's default cost. */
const UNUSABLE_BCRYPT = '$2b$10$.mX.liuytiYL35USLXgV9eyvctBgvGst1JVW1CHIjRgl7wwT1NNMC'
/** Bcrypt ignores further bytes. Until 2022 Go's bcrypt accepted longer passwords and cut them; Bun would pre-hash them instead. */
const MAX_BCRYPT_BYTES = 72

/** Whether a hash is an imported one that passwords can be verified with. */
export const isImportedHash = (hash: string): boolean => BCRYPT.test(hash)

/** Hashes and verifies passwords off the event loop, with limited concurrency. */
export interface Passwords {
  /** @throws GatewayError overloaded while too many wait */
  hash(password: string): Promise<string>
  /**
   * Whether a password matches a hash. Without a hash the result is false after the same time.
   *
   * @throws GatewayError overloaded while too many wait
   */
  verify(password: string, hash: string | undefined, check?: PasswordCheck): Promise<boolean>
}

interface PasswordCheck {
  /** Whether the person has signed in from the same address before. */
  is_known?: boolean
  /** Whether imported hashes exist: then each check runs both algorithms, so that its time does not reveal the kind of an account's hash. */
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
    hash: (password) => runLimited(() => Bun.password.hash(normalizePassword(password), COST), true),
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
    (await Bun.password.verify(normalizePassword(password), is_imported ? UNUSABLE_HASH : hash))
  const by_bcrypt =
    (is_imported || has_imported) && (await isOfBcrypt(password, is_imported ? hash : UNUSABLE_BCRYPT))
  return is_imported ? by_bcrypt : by_ours
}

/** Tries all Unicode forms, since the other gateway hashed the bytes as typed. Most passwords are the same in all forms. */
async function isOfBcrypt(password: string, hash: string): Promise<boolean> {
  const forms = new Set([
    password,
    password.normalize('NFC'),
    password.normalize('NFD'),
    normalizePassword(password),
  ])
  for (const form of forms)
    if (await Bun.password.verify(Buffer.from(form).subarray(0, MAX_BCRYPT_BYTES), hash)) return true
  return false
}

/** Normalizes characters that were typed on different keyboards (NIST SP 800-63B, 3.1.1.2). */
const normalizePassword = (password: string): string => password.normalize('NFKC')

/**
 * @param param request field for the error
 * @throws GatewayError invalid_request if the password is too short or too long
 */
export function checkPassword(password: string, param: string): void {
  // Characters as people count them.
  const chars = [...password].length
  if (chars < MIN_PASSWORD_CHARS)
    throw invalidRequest(`${param}: must have at least ${MIN_PASSWORD_CHARS} characters.`, { param })
  if (password.length > MAX_PASSWORD_CHARS)
    throw invalidRequest(`${param}: must have at most ${MAX_PASSWORD_CHARS} characters.`, { param })
}

/** The hash of a person's password; undefined without one. */
export async function hashOf(db: Db, person_id: number): Promise<string | undefined> {
  const found = await passwordQueries(db).ofPerson.get({ person_id })
  return found?.hash
}

/** Whether any person has an imported hash. */
export const hasImportedHashes = async (db: Db): Promise<boolean> =>
  (await passwordQueries(db).anyImported.get()) !== undefined

/** Replaces a person's password. @param hash result of `Passwords.hash`, or an imported hash */
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
 * Replaces an imported hash by an own one after a successful check of the password, which may be shorter than a new one must be.
 *
 * @param hash stored hash that the password matches
 * @returns the stored hash; undefined if the password was changed meanwhile
 * @throws GatewayError overloaded while too many wait
 */
export async function upgradeHash(
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
  // Another sign-in may have replaced the hash at the same time.
  const is_same = stored === own || (await passwords.verify(password, stored, { is_known: true }))
  return is_same ? stored : undefined
}
