// How much of its account a key sees: a limited one its own calls only, unless its account allows more.
import type { Database } from 'bun:sqlite'
import type { Key } from '../db/schema.ts'
import { detailsOf } from './account-details.ts'
import { isLimited } from './key-settings.ts'

/** Whether a key sees all calls of its account, in the console and by its API. */
export const seesAccount = (db: Database, key: Key): boolean =>
  !isLimited(key) || detailsOf(db, key.account_id).keys_see_account
