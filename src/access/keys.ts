// Administration of API keys: create, list, change, revoke, rotate.
import type { Fields } from '../domain/actions.ts'
import { conflict, invalidRequest, notFound } from '../domain/errors.ts'
import { recordAction } from '../store/actions.ts'
import type { Awaitable, Db, Tx } from '../store/db.ts'
import type { Key } from '../store/schema.ts'
import { lockedAccount } from './accounts.ts'
import { copyBudgets, setBudgets } from './budgets.ts'
import { refuseClosed } from './closing.ts'
import { changedKeyFields, keyFields } from './key-fields.ts'
import {
  checkSettings,
  columnsOf,
  isCount,
  type KeyChanges,
  type KeySettings,
  type NewKeySettings,
  NO_LIMITS,
} from './key-settings.ts'
import { keyStatus, remainingOf } from './key-status.ts'
import { keyQueries } from './queries.ts'
import { generateKey, hashKey, PREFIX_LENGTH, type RandomBytes } from './secret.ts'

/** A new key with its text, which is shown once and never stored. */
export interface IssuedKey {
  key: Key
  text: string
}

/** Injected randomness and time for creating a key. */
export interface Issuance {
  randomBytes: RandomBytes
  now_ms: number
}

/**
 * Creates a key for an account, which may be suspended.
 *
 * @throws GatewayError not_found without the account; conflict if it is closed; invalid_request if a setting is malformed or the name is taken
 */
export async function createKey(
  db: Db,
  account_name: string,
  requested: NewKeySettings,
  issuing: Issuance,
): Promise<IssuedKey> {
  const { budgets = {}, person_id = null, ...limits } = requested
  const settings = { ...NO_LIMITS, ...limits }
  checkSettings(settings, issuing.now_ms)
  return await db.begin(async (tx) => {
    const account = await lockedAccount(tx, account_name)
    await refuseClosed(tx, account)
    await refuseTakenName(tx, account.id, settings.name, issuing.now_ms)
    return await insertKeyWithBudgets(
      tx,
      { account_id: account.id, person_id },
      settings,
      issuing,
      (key_id) => setBudgets(tx, { account_id: account.id, key_id }, budgets, issuing.now_ms),
    )
  })
}

/** All keys, or the keys of one account, oldest first, including revoked keys. */
export function listKeys(db: Db, account_id?: number): Awaitable<Key[]> {
  const { listKeys, keysOfAccount } = keyQueries(db)
  return account_id === undefined ? listKeys.all() : keysOfAccount.all({ account_id })
}

/** Starts at the number of the account's keys plus one, and counts up to a free number. */
const FREE_NUMBER = `
  WITH RECURSIVE tried(number) AS (
    SELECT count(*) + 1 FROM keys WHERE account_id = $account_id
    UNION ALL
    SELECT number + 1 FROM tried WHERE EXISTS (
      SELECT 1 FROM keys WHERE account_id = $account_id AND name = 'key-' || number
        AND (revoked_at_ms IS NULL OR revoked_at_ms > $now_ms))
  )
  SELECT max(number) AS number FROM tried`

/**
 * Returns a default name such as `key-4` that no usable key of the account has. Locks the account, so that the name stays free until the end of
 * the transaction.
 */
export async function freeKeyName(tx: Tx, account_id: number, now_ms: number): Promise<string> {
  await tx.lock(account_id)
  const [row] = await tx.rows<{ number: number }>(FREE_NUMBER, { account_id, now_ms })
  return `key-${row?.number ?? 1}`
}

/**
 * Finds a key by the operator's reference.
 *
 * @param reference prefix as in `key list`, or ID
 * @throws GatewayError not_found; conflict if several keys have the prefix
 */
export async function keyByReference(db: Db, reference: string): Promise<Key> {
  const { keysById, keysByPrefix } = keyQueries(db)
  const found = /^\d{1,15}$/.test(reference)
    ? await keysById.all({ id: Number(reference) })
    : await keysByPrefix.all({ prefix: reference })
  const [key] = found
  if (!key)
    throw notFound(`Key "${reference}" not found. \`tollgate key list\` shows the prefixes of all keys.`)
  if (found.length > 1) {
    throw conflict(
      `More than one key begins with "${reference}". Use the key's number in \`tollgate key list\` instead.`,
    )
  }
  return key
}

/** Finds a key and locks the keys of its account until the end of the transaction. @throws GatewayError as `keyByReference` */
async function lockedKey(tx: Tx, reference: string): Promise<Key> {
  const { id, account_id } = await keyByReference(tx, reference)
  await tx.lock(account_id)
  return await keyByReference(tx, String(id))
}

/**
 * Changes the name and the limits of a key that is not revoked; absent fields stay. Running calls continue. A later expiry makes an expired key
 * usable again.
 *
 * @throws GatewayError not_found, conflict as `keyByReference`; invalid_request for a revoked key, a malformed setting or a taken name
 */
export function changeKey(
  db: Db,
  reference: string,
  { budgets = {}, ...changes }: KeyChanges,
  now_ms: number,
): Promise<Key> {
  return db.begin(async (tx) => {
    const key = await lockedKey(tx, reference)
    if (keyStatus(key, now_ms) === 'revoked')
      throw invalidRequest(`The key "${key.prefix}" is revoked and cannot be changed. Create a new one.`)
    const settings = { ...key, ...changes }
    // Checks only new values: a past expiry may stay, and patterns that an earlier version accepted, too.
    const { models: new_models = null, expires_at_ms: new_expires_at_ms = null } = changes
    checkSettings({ ...settings, models: new_models, expires_at_ms: new_expires_at_ms }, now_ms)
    if (settings.name !== key.name) await refuseTakenName(tx, key.account_id, settings.name, now_ms)
    const { id: key_id, account_id } = key
    const changed: Key = await keyQueries(tx).setSettings.get({ id: key_id, ...columnsOf(settings) })
    const of_budgets = await setBudgets(tx, { account_id, key_id }, budgets, now_ms)
    const of_row = changedKeyFields(key, changed)
    if (of_row || of_budgets)
      await recordAction(tx, {
        action: 'key.changed',
        account_id,
        key_id,
        before: { ...of_row?.before, ...of_budgets?.before },
        after: { ...of_row?.after, ...of_budgets?.after },
      })
    return changed
  })
}

/**
 * Revokes a key: refuses its calls from now on; running calls are finished and charged. A revoked key keeps the time of its first revocation; a
 * retiring key is revoked now.
 *
 * @throws GatewayError not_found, conflict as `keyByReference`
 */
export function revokeKey(db: Db, reference: string, now_ms: number): Promise<Key> {
  return db.begin(async (tx) => {
    const key = await lockedKey(tx, reference)
    if (keyStatus(key, now_ms) === 'revoked') return key
    const revoked = await setRevoked(tx, key, now_ms)
    const { id: key_id, account_id } = key
    await recordAction(tx, { action: 'key.revoked', account_id, key_id, ...changedKeyFields(key, revoked) })
    return revoked
  })
}

/**
 * Replaces a key's secret: a new key takes over its settings, and the old one is revoked, at once or after a grace period. The spend and holds of
 * the old key are subtracted from the new key's spend limit, and count against its limits by period, so that a rotation does not raise a limit.
 * During the grace period each of the two keys may spend the remainder.
 *
 * @param grace_s whole seconds during which the old key still works
 * @throws GatewayError not_found, conflict as `keyByReference`; invalid_request for a revoked or expired key
 */
export async function rotateKey(
  db: Db,
  reference: string,
  grace_s: number,
  issuing: Issuance,
): Promise<IssuedKey> {
  const { now_ms } = issuing
  const revoked_at_ms = now_ms + grace_s * 1_000
  if (!isCount(grace_s) || !isCount(revoked_at_ms)) {
    throw invalidRequest('grace: must be a whole number of seconds, 0 or more.', { param: 'grace' })
  }
  return await db.begin(async (tx) => {
    const old = await lockedKey(tx, reference)
    // A revocation in the future comes from an earlier rotation: rotate the key that replaced this one.
    if (old.revoked_at_ms !== null)
      throw invalidRequest(
        `The key "${old.prefix}" is revoked. Rotate the key that replaced it, or create one.`,
      )
    if (old.expires_at_ms !== null && old.expires_at_ms <= now_ms)
      throw invalidRequest(`The key "${old.prefix}" has expired. Create a new one.`)
    const revoked = await setRevoked(tx, old, revoked_at_ms)
    const settings = { ...old, spend_limit_nanos: remainingOf(old) }
    const made = await insertKeyWithBudgets(tx, old, settings, issuing, (key_id) =>
      copyBudgets(tx, old.id, { account_id: old.account_id, key_id }),
    )
    const { before, after } = changedKeyFields(old, revoked) ?? {}
    await recordAction(tx, {
      action: 'key.rotated',
      account_id: old.account_id,
      key_id: old.id,
      before,
      after: { ...after, new_key: made.key.prefix },
    })
    return made
  })
}

/** @throws GatewayError invalid_request if a usable key of the account has the name */
export async function refuseTakenName(
  tx: Tx,
  account_id: number,
  name: string,
  now_ms: number,
): Promise<void> {
  const taken = await keyQueries(tx).keyByName.get({ account_id, name, now_ms })
  if (!taken) return
  throw invalidRequest(
    `name: the account already has a key "${name}" (${taken.prefix}). Rotate or revoke it, or choose another name.`,
    { param: 'name' },
  )
}

async function insertKeyWithBudgets(
  tx: Tx,
  { account_id, person_id }: Pick<Key, 'account_id' | 'person_id'>,
  settings: KeySettings,
  issuing: Issuance,
  setKeyBudgets: (key_id: number) => Promise<{ after: Fields } | undefined>,
): Promise<IssuedKey> {
  const text = generateKey(issuing.randomBytes)
  const key: Key = await keyQueries(tx).insertKey.get({
    ...columnsOf(settings),
    account_id,
    person_id,
    prefix: text.slice(0, PREFIX_LENGTH),
    sha256: hashKey(text),
    created_at_ms: issuing.now_ms,
  })
  const limits = await setKeyBudgets(key.id)
  const after = { ...keyFields(key), ...limits?.after }
  await recordAction(tx, { action: 'key.created', account_id, key_id: key.id, after })
  return { key, text }
}

const setRevoked = (tx: Tx, { id }: Key, revoked_at_ms: number): Awaitable<Key> =>
  keyQueries(tx).setRevoked.get({ id, revoked_at_ms })
