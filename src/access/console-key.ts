// Console keys: a key per account and per member that pays for calls from the console. Its text is discarded.
import { permissionDenied } from '../domain/errors.ts'
import type { Awaitable, Db, Tx } from '../store/db.ts'
import type { Account, Key } from '../store/schema.ts'
import { keyStatus } from './key-status.ts'
import { createKey, type Issuance, revokeKey } from './keys.ts'
import { accountQueries, keyQueries } from './queries.ts'

/** Name among the account's keys, where it can be limited and revoked like any other key. */
export const CONSOLE_KEY = 'console'

export type KeyState = 'usable' | 'revoked' | 'expired'

/** Whether a key may be used now. A retiring key may. */
export function stateOfKey(key: Key, now_ms: number): KeyState {
  const status = keyStatus(key, now_ms)
  return status === 'active' || status === 'retiring' ? 'usable' : status
}

/** The payer of calls from the console: a member, or the account. */
export interface Payer {
  account: Account
  /** Null: the account itself. */
  person_id: number | null
}

const consoleKeyName = ({ person_id }: Payer): string =>
  person_id === null ? CONSOLE_KEY : `${CONSOLE_KEY}-${person_id}`

/** The newest console key, in any state; undefined before the first call from the console. */
export const consoleKeyOf = (db: Db, payer: Payer): Awaitable<Key | undefined> =>
  keyQueries(db).newestByName.get({
    account_id: payer.account.id,
    name: consoleKeyName(payer),
    person_id: payer.person_id,
  })

/**
 * Returns the key that pays, and creates it at the first call. A revoked key is not replaced, or its revocation would have no effect.
 *
 * @throws GatewayError permission_denied if the key is revoked or expired; conflict for a closed account
 */
export async function payingKey(db: Db, payer: Payer, issuing: Issuance): Promise<Key> {
  const key =
    (await consoleKeyOf(db, payer)) ??
    // Checked again under the lock: another first call may have created it.
    (await db.begin(async (tx) => {
      await tx.lock(payer.account.id)
      return (await consoleKeyOf(tx, payer)) ?? (await issueConsoleKey(tx, payer, issuing))
    }))
  const state = stateOfKey(key, issuing.now_ms)
  if (state === 'usable') return key
  const past = state === 'revoked' ? 'was revoked' : 'has expired'
  throw permissionDenied(
    `The key "${key.name}" of this account, which pays for calls from the playground, ${past}. Create a new one to continue.`,
    { code: `console_key_${state}` },
  )
}

/**
 * Creates a new console key without limits, unless the current one is usable.
 *
 * @throws GatewayError conflict for a closed account
 */
export function renewConsoleKey(db: Db, payer: Payer, issuing: Issuance): Promise<Key> {
  return db.begin(async (tx) => {
    await tx.lock(payer.account.id)
    const key = await consoleKeyOf(tx, payer)
    if (key && stateOfKey(key, issuing.now_ms) === 'usable') return key
    // An expired key keeps its name until it is revoked.
    if (key && key.revoked_at_ms === null) await revokeKey(tx, String(key.id), issuing.now_ms)
    return await issueConsoleKey(tx, payer, issuing)
  })
}

/** Discards the key's text: calls from the console carry a pass instead (passes.ts). */
async function issueConsoleKey(tx: Tx, payer: Payer, issuing: Issuance): Promise<Key> {
  const { account, person_id } = payer
  // The account may have been renamed, and another one may have its former name.
  const { name = account.name } = (await accountQueries(tx).accountById.get({ id: account.id })) ?? {}
  const { key } = await createKey(tx, name, { name: consoleKeyName(payer), person_id }, issuing)
  return key
}
