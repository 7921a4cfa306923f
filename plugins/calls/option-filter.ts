// Filter of calls from the options of a command.
import { accountByName } from '../../src/access/accounts.ts'
import { keyByReference } from '../../src/access/keys.ts'
import type { CallFilter } from '../../src/money/ledger/queries.ts'
import type { Db } from '../../src/store/db.ts'

export interface FilterOptions {
  account?: string | undefined
  /** The key's prefix, or its number in `key list`. */
  key?: string | undefined
  model?: string | undefined
  provider?: string | undefined
  /** In milliseconds since 1970; `until` likewise. */
  since?: number | undefined
  until?: number | undefined
}

/** @throws GatewayError not_found for an unknown account or key */
export async function filterOfOptions(
  db: Db,
  { account, key, model, provider, since, until }: FilterOptions,
): Promise<CallFilter> {
  return {
    account_id: account === undefined ? undefined : (await accountByName(db, account)).id,
    key_ids: key === undefined ? undefined : [(await keyByReference(db, key)).id],
    model,
    provider,
    // As in the figures of `usage --by`: a call belongs to the provider that answered it.
    answered: provider === undefined ? undefined : true,
    since_ms: since,
    until_ms: until,
  }
}
