// Owns the administration of API keys: made, listed, revoked and rotated.
import type { Database } from 'bun:sqlite'
import { and, eq, gt, isNull, or } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { type Key, keys } from '../db/schema.ts'
import { conflict, invalidRequest, notFound } from '../domain/errors.ts'
import type { Nanos } from '../domain/money.ts'
import { accountByName, checkName } from './accounts.ts'
import { checkAddresses } from './addresses.ts'
import { generateKey, hashKey, PREFIX_LENGTH, type RandomBytes } from './secret.ts'

/** What a key may be limited to; null: not limited. */
export interface KeySettings {
  /** Unique among the keys of its account that are not revoked. */
  name: string
  /** Glob patterns of model ids. */
  models: readonly string[] | null
  /** The most that all its calls together may cost. */
  spend_limit_nanos: Nanos | null
  /** Addresses and CIDR blocks. */
  addresses: readonly string[] | null
  expires_at_ms: number | null
}

/** A key that was just made, with its text, which is shown now and never again. */
export interface IssuedKey {
  key: Key
  text: string
}

/** What making a key needs from outside. */
export interface Issuing {
  randomBytes: RandomBytes
  now_ms: number
}

const MODEL_PATTERN = /^[A-Za-z0-9*][A-Za-z0-9*._/-]{0,127}$/

/**
 * Makes a key for an account, whatever the account's status.
 *
 * @throws GatewayError not_found without the account; invalid_request when a setting is malformed or the name taken
 */
export function createKey(
  db: Database,
  account_name: string,
  settings: KeySettings,
  issuing: Issuing,
): IssuedKey {
  checkSettings(settings, issuing.now_ms)
  return immediately(db, () => {
    const account = accountByName(db, account_name)
    refuseTakenName(db, account.id, settings.name, issuing.now_ms)
    return issue(db, account.id, settings, issuing)
  })
}

/** All keys, or those of one account, the oldest first; the revoked ones too. */
export function listKeys(db: Database, account_id?: number): Key[] {
  return drizzle({ client: db })
    .select()
    .from(keys)
    .where(account_id === undefined ? undefined : eq(keys.account_id, account_id))
    .orderBy(keys.id)
    .all()
}

/**
 * The key that an operator means.
 *
 * @param reference its prefix as `key list` shows it, or its number
 * @throws GatewayError not_found without such a key; conflict when more than one key has the prefix
 */
export function keyByReference(db: Database, reference: string): Key {
  const byNumber = /^\d{1,15}$/.test(reference)
  const found = drizzle({ client: db })
    .select()
    .from(keys)
    .where(byNumber ? eq(keys.id, Number(reference)) : eq(keys.prefix, reference))
    .all()
  const [key] = found
  if (!key) {
    throw notFound(
      `There is no key "${reference}". \`tollgate key list\` shows the prefixes of those there are.`,
    )
  }
  if (found.length > 1) {
    throw conflict(
      `More than one key begins with "${reference}": name it by its number in \`tollgate key list\`.`,
    )
  }
  return key
}

/**
 * Refuses a key's calls from now on; those under way are finished and charged. A key that is revoked already keeps the
 * time of its first revocation; one that a rotation revokes later is revoked now.
 *
 * @throws GatewayError not_found, conflict as `keyByReference`
 */
export function revokeKey(db: Database, reference: string, now_ms: number): Key {
  return immediately(db, () => {
    const key = keyByReference(db, reference)
    return isRevoked(key, now_ms) ? key : setRevoked(db, key, now_ms)
  })
}

/**
 * Replaces a key's secret: a new key takes over its settings, and the old one is revoked, at once or after a grace.
 * What the old one spent, or has on hold, is taken off the new one's spend limit, so that rotating gives no new room;
 * during a grace, each of the two may spend what is left.
 *
 * @param grace_s whole seconds for which the old key still works
 * @throws GatewayError not_found, conflict as `keyByReference`; invalid_request for a key that is revoked or expired
 */
export function rotateKey(db: Database, reference: string, grace_s: number, issuing: Issuing): IssuedKey {
  const { now_ms } = issuing
  const revoked_at_ms = now_ms + grace_s * 1_000
  if (!isCount(grace_s) || !isCount(revoked_at_ms)) {
    throw invalidRequest('The grace must be a whole number of seconds, 0 or more.', { param: 'grace' })
  }
  return immediately(db, () => {
    const old = keyByReference(db, reference)
    // A revocation that is still to come means that it was rotated before: its successor is the one to rotate.
    if (old.revoked_at_ms !== null) throw invalidRequest(`The key "${old.prefix}" is revoked.`)
    if (old.expires_at_ms !== null && old.expires_at_ms <= now_ms) {
      throw invalidRequest(`The key "${old.prefix}" has expired: create a new one.`)
    }
    setRevoked(db, old, revoked_at_ms)
    return issue(db, old.account_id, { ...old, spend_limit_nanos: roomOf(old) }, issuing)
  })
}

function checkSettings(settings: KeySettings, now_ms: number): void {
  const { name, models, spend_limit_nanos, addresses, expires_at_ms } = settings
  checkName(name)
  if (models) checkModels(models)
  if (spend_limit_nanos !== null && !isCount(spend_limit_nanos)) {
    throw invalidRequest('The spend limit must be 0 USD or more.', { param: 'spend_limit' })
  }
  if (addresses?.length === 0) {
    throw invalidRequest('No address is allowed by an empty list: leave it out to allow all.', {
      param: 'addresses',
    })
  }
  checkAddresses(addresses ?? [])
  if (expires_at_ms !== null && !(isCount(expires_at_ms) && expires_at_ms > now_ms)) {
    throw invalidRequest('The key must expire at a time that is still to come.', { param: 'expires' })
  }
}

function checkModels(models: readonly string[]): void {
  if (models.length === 0) {
    throw invalidRequest('No model is allowed by an empty list: leave it out to allow all.', {
      param: 'models',
    })
  }
  const wrong = models.find((pattern) => !MODEL_PATTERN.test(pattern))
  if (wrong !== undefined) {
    throw invalidRequest(`"${wrong}" is not a model id or a pattern of them, such as gemini-*.`, {
      param: 'models',
    })
  }
}

function refuseTakenName(db: Database, account_id: number, name: string, now_ms: number): void {
  const taken = drizzle({ client: db })
    .select({ prefix: keys.prefix })
    .from(keys)
    .where(
      and(
        eq(keys.account_id, account_id),
        eq(keys.name, name),
        or(isNull(keys.revoked_at_ms), gt(keys.revoked_at_ms, now_ms)),
      ),
    )
    .get()
  if (taken) {
    throw invalidRequest(`The account already has a key "${name}" (${taken.prefix}): rotate or revoke it.`, {
      param: 'name',
    })
  }
}

function issue(db: Database, account_id: number, settings: KeySettings, issuing: Issuing): IssuedKey {
  const text = generateKey(issuing.randomBytes)
  const { name, models, spend_limit_nanos, addresses, expires_at_ms } = settings
  const key = drizzle({ client: db })
    .insert(keys)
    .values({
      account_id,
      name,
      prefix: text.slice(0, PREFIX_LENGTH),
      sha256: hashKey(text),
      models: models && [...models],
      spend_limit_nanos,
      spent_nanos: 0,
      held_nanos: 0,
      addresses: addresses && [...addresses],
      expires_at_ms,
      revoked_at_ms: null,
      created_at_ms: issuing.now_ms,
    })
    .returning()
    .get()
  return { key, text }
}

function setRevoked(db: Database, key: Key, revoked_at_ms: number): Key {
  return drizzle({ client: db })
    .update(keys)
    .set({ revoked_at_ms })
    .where(eq(keys.id, key.id))
    .returning()
    .get()
}

const isRevoked = (key: Key, now_ms: number): boolean =>
  key.revoked_at_ms !== null && key.revoked_at_ms <= now_ms

const roomOf = (key: Key): Nanos | null =>
  key.spend_limit_nanos === null
    ? null
    : Math.max(0, key.spend_limit_nanos - key.spent_nanos - key.held_nanos)

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

/** What reads before it writes takes the write lock first, so that nothing changes in between. */
const immediately = <T>(db: Database, work: () => T): T => db.transaction(work).immediate()
