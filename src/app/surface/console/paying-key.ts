// The key that pays for calls of a page: the key of the sign-in if it was one, otherwise the key "console" of the account or member.
import { consoleKeyOf, type Payer, payingKey } from '../../../access/console-key.ts'
import { findKeyById, unknownKey } from '../../../access/gate.ts'
import type { Issuance } from '../../../access/keys.ts'
import type { Viewer } from '../../../access/viewer.ts'
import type { Awaitable, Db } from '../../../store/db.ts'
import type { Account, Key } from '../../../store/schema.ts'
import type { Gateway } from '../gateway.ts'
import { changed, type Requester } from './calls.ts'
import { requireChosenAccount } from './references.ts'

/**
 * Returns the key that pays for a viewer's calls. The first call of an account creates its key "console".
 * @throws GatewayError as `requireChosenAccount` and `payingKey`
 */
export async function ensurePayingKey(
  gateway: Pick<Gateway, 'calls' | 'people' | 'db'>,
  { viewer, origin }: Requester,
  reference: string | undefined,
): Promise<Key> {
  const { db } = gateway
  const account = await requireChosenAccount(db, viewer, reference)
  if (viewer.side === 'key') return ownKey(gateway, viewer.key_id)
  const payer = payerOf(viewer, account)
  const pay = (db: Db) => payingKey(db, payer, issuingOf(gateway))
  // Only the first call needs a write, which may wait for the lock.
  const exists = (await consoleKeyOf(db, payer)) !== undefined
  return exists ? await pay(db) : await changed(gateway, { viewer, origin }, pay)
}

/** Returns the paying key in any state; undefined before the first call. */
export const findPayingKey = (
  gateway: Pick<Gateway, 'db'>,
  viewer: Viewer,
  account: Account,
): Awaitable<Key | undefined> =>
  viewer.side === 'key' ? ownKey(gateway, viewer.key_id) : consoleKeyOf(gateway.db, payerOf(viewer, account))

/** A member pays for their own calls; calls of other viewers are paid by the account. */
export const payerOf = (viewer: Viewer, account: Account): Payer => ({
  account,
  person_id: viewer.side === 'account' && viewer.role === 'member' ? viewer.person_id : null,
})

/** The inputs of a new key: random bytes and the time. */
export const issuingOf = ({
  people: { randomBytes },
  calls: { now },
}: Pick<Gateway, 'calls' | 'people'>): Issuance => ({ randomBytes, now_ms: now() })

async function ownKey({ db }: Pick<Gateway, 'db'>, key_id: number): Promise<Key> {
  const found = await findKeyById(db, key_id)
  if (!found) throw unknownKey()
  return found.key
}
