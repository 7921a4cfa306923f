// The console's own key of an account: it pays for what is called from the console, and nobody has its text.
import type { Database } from 'bun:sqlite'
import type { Account, Key } from '../db/schema.ts'
import { permissionDenied } from '../domain/errors.ts'
import { keyStatus } from './key-status.ts'
import { createKey, type Issuing, revokeKey } from './keys.ts'
import { keyQueries } from './queries.ts'

/** Its name among the keys of its account, where it can be limited and revoked as any other. */
export const CONSOLE_KEY = 'console'

export type KeyState = 'usable' | 'revoked' | 'expired'

/** Whether a key may be used at this moment. One that is retiring may. */
export function stateOfKey(key: Key, now_ms: number): KeyState {
  const status = keyStatus(key, now_ms)
  return status === 'active' || status === 'retiring' ? 'usable' : status
}

/** The newest key of that name, in any state; undefined if nothing was called from the console yet. */
export const consoleKeyOf = (db: Database, account_id: number): Key | undefined =>
  keyQueries(db).newestByName.get({ account_id, name: CONSOLE_KEY })

/**
 * The key that pays; made at the first call. Once revoked it is not made again by itself, or to revoke it would mean nothing.
 *
 * @throws GatewayError permission_denied for one that is revoked or expired; conflict for an account that is closed
 */
export function payingKey(db: Database, account: Account, issuing: Issuing): Key {
  const key = consoleKeyOf(db, account.id)
  if (!key) return issueConsoleKey(db, account, issuing)
  const state = stateOfKey(key, issuing.now_ms)
  if (state === 'usable') return key
  const past = state === 'revoked' ? 'was revoked' : 'has expired'
  throw permissionDenied(
    `The key "${CONSOLE_KEY}" of this account, which pays for calls from here, ${past}. Make a new one to go on.`,
    { code: `console_key_${state}` },
  )
}

/**
 * Makes the console's key anew, with no limits of its own; one that works is returned as it is.
 *
 * @throws GatewayError conflict for an account that is closed
 */
export function renewConsoleKey(db: Database, account: Account, issuing: Issuing): Key {
  const key = consoleKeyOf(db, account.id)
  if (key && stateOfKey(key, issuing.now_ms) === 'usable') return key
  // An expired key keeps its name until it is revoked.
  if (key && key.revoked_at_ms === null) revokeKey(db, String(key.id), issuing.now_ms)
  return issueConsoleKey(db, account, issuing)
}

/** Its text is dropped here: calls from the console carry a pass instead (passes.ts). */
const issueConsoleKey = (db: Database, { name }: Account, issuing: Issuing): Key =>
  createKey(db, name, { name: CONSOLE_KEY }, issuing).key
