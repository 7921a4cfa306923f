// How much of its account a key sees: a limited one its own calls only, unless its account allows more.
import type { Db } from '../store/db.ts'
import type { Key } from '../store/schema.ts'
import { detailsOf } from './account-details.ts'
import { isLimited } from './key-settings.ts'

/** Whether a key sees all calls of its account, in the console and by its API. */
export async function seesAccount(db: Db, key: Key): Promise<boolean> {
  if (!isLimited(key)) return true
  const { keys_see_account } = await detailsOf(db, key.account_id)
  return keys_see_account
}
