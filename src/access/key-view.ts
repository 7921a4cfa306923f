// A key as commands show it: the fields of --json.

import { money, time } from '../http/views.ts'
import type { Db } from '../store/db.ts'
import type { Key } from '../store/schema.ts'
import { keyStatus } from './key-status.ts'
import { accountQueries } from './queries.ts'
import { spendLimitsView } from './spend-limits-view.ts'

/** The name of the account that a key belongs to. */
export const ownerOf = async (db: Db, { account_id }: Key): Promise<string> =>
  (await accountQueries(db).accountById.get({ id: account_id }))?.name ?? ''

/** A key as `--json` shows it: never its text or hash. */
export function keyView(key: Key, account_name: string, now_ms: number) {
  return {
    id: key.id,
    account: account_name,
    name: key.name,
    prefix: key.prefix,
    status: keyStatus(key, now_ms),
    models: key.models,
    addresses: key.addresses,
    ...money('spend_limit', key.spend_limit_nanos),
    ...money('daily_limit', key.daily_limit_nanos),
    ...money('monthly_limit', key.monthly_limit_nanos),
    concurrent_calls: key.concurrent_calls,
    ...money('spent', key.spent_nanos),
    ...money('held', key.held_nanos),
    spend_limits: spendLimitsView(key, now_ms),
    ...time('expires', key.expires_at_ms),
    ...time('revoked', key.revoked_at_ms),
    ...time('created', key.created_at_ms),
  }
}
