// The console's own key of an account, and of each of its members: it pays for what is called from the console, and nobody has its text.

import { permissionDenied } from '../domain/errors.ts'
import type { Awaitable, Db, Tx } from '../store/db.ts'
import type { Account, Key } from '../store/schema.ts'
import { keyStatus } from './key-status.ts'
import { createKey, type Issuing, revokeKey } from './keys.ts'
import { accountQueries, keyQueries } from './queries.ts'

/** Its name among the keys of its account, where it can be limited and revoked as any other. */
export const CONSOLE_KEY = 'console'

export type KeyState = 'usable' | 'revoked' | 'expired'

/** Whether a key may be used at this moment. One that is retiring may. */
export function stateOfKey(key: Key, now_ms: number): KeyState {
  const status = keyStatus(key, now_ms)
  return status === 'active' || status === 'retiring' ? 'usable' : status
}

/** The caller of the console's own calls: a member, whose calls are their own, or else the account. */
export interface Payer {
  account: Account
  /** Null: the account itself. */
  person_id: number | null
}

const nameFor = ({ person_id }: Payer): string =>
  person_id === null ? CONSOLE_KEY : `${CONSOLE_KEY}-${person_id}`

/** The newest key of that name, in any state; undefined if nothing was called from the console yet. */
export const consoleKeyOf = (db: Db, payer: Payer): Awaitable<Key | undefined> =>
  keyQueries(db).newestByName.get({
    account_id: payer.account.id,
    name: nameFor(payer),
    person_id: payer.person_id,
  })

/**
 * The key that pays; made at the first call. Once revoked it is not made again by itself, or to revoke it would mean nothing.
 *
 * @throws GatewayError permission_denied for one that is revoked or expired; conflict for an account that is closed
 */
export async function payingKey(db: Db, payer: Payer, issuing: Issuing): Promise<Key> {
  const key =
    (await consoleKeyOf(db, payer)) ??
    // Looked for again: another first call may have made it.
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
 * Makes the console's key anew, with no limits of its own; one that works is returned as it is.
 *
 * @throws GatewayError conflict for an account that is closed
 */
export function renewConsoleKey(db: Db, payer: Payer, issuing: Issuing): Promise<Key> {
  return db.begin(async (tx) => {
    await tx.lock(payer.account.id)
    const key = await consoleKeyOf(tx, payer)
    if (key && stateOfKey(key, issuing.now_ms) === 'usable') return key
    // An expired key keeps its name until it is revoked.
    if (key && key.revoked_at_ms === null) await revokeKey(tx, String(key.id), issuing.now_ms)
    return await issueConsoleKey(tx, payer, issuing)
  })
}

/** Its text is dropped here: calls from the console carry a pass instead (passes.ts). */
async function issueConsoleKey(tx: Tx, payer: Payer, issuing: Issuing): Promise<Key> {
  const { account, person_id } = payer
  // It may have another name by now, and another account its former one.
  const { name = account.name } = (await accountQueries(tx).accountById.get({ id: account.id })) ?? {}
  const { key } = await createKey(tx, name, { name: nameFor(payer), person_id }, issuing)
  return key
}
