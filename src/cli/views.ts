// Accounts and keys as commands show them: the fields of --json.
import type { ShownAccount } from '../access/closing.ts'
import { keyStatus } from '../access/key-status.ts'
import type { Key } from '../db/schema.ts'
import { money, time } from '../http/views.ts'

/** An account as `--json` shows it. `available` is what new calls may hold. */
export function accountView(account: ShownAccount) {
  const available_nanos = account.balance_nanos - account.held_nanos
  return {
    id: account.id,
    name: account.name,
    status: account.status,
    ...money('balance', account.balance_nanos),
    ...money('held', account.held_nanos),
    ...money('available', available_nanos),
    ...money('debt', account.debt_nanos),
    ...time('created', account.created_at_ms),
  }
}

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
    ...money('spent', key.spent_nanos),
    ...money('held', key.held_nanos),
    ...time('expires', key.expires_at_ms),
    ...time('revoked', key.revoked_at_ms),
    ...time('created', key.created_at_ms),
  }
}
