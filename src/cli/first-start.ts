// The demo account of a first start: it can call the simulated models only, so that nothing costs money upstream.
import type { Database } from 'bun:sqlite'
import { createAccount, listAccounts } from '../access/accounts.ts'
import { createKey } from '../access/keys.ts'
import type { RandomBytes } from '../access/secret.ts'
import { untilFree } from '../db/busy.ts'
import { immediately } from '../db/transaction.ts'
import { NANOS_PER_USD } from '../domain/money.ts'
import type { Ledger } from '../ledger/operations.ts'

export const DEMO_ACCOUNT = 'demo'
/** The simulated models of the first catalogue. */
export const DEMO_MODELS = ['sim-*']
const DEMO_CREDIT_USD = 10

export interface FirstStartDeps {
  db: Database
  ledger: Pick<Ledger, 'submit'>
  randomBytes: RandomBytes
  now: () => number
}

/** Whether an earlier start made the demo account and showed its key, and nothing else was made since. */
export function hasOnlyDemo(db: Database): boolean {
  const [first, ...others] = listAccounts(db)
  return first?.name === DEMO_ACCOUNT && first.status === 'active' && others.length === 0
}

/**
 * Creates the account `demo` with 10 USD and a key for the simulated models, unless there is any account.
 *
 * @returns the key's text, to be shown this once; undefined where there is an account
 */
export async function firstStart({
  db,
  ledger,
  randomBytes,
  now,
}: FirstStartDeps): Promise<string | undefined> {
  const now_ms = now()
  const settings = {
    name: DEMO_ACCOUNT,
    models: DEMO_MODELS,
    spend_limit_nanos: null,
    addresses: null,
    expires_at_ms: null,
  }
  // One transaction, so that an interrupted start leaves no account without a key.
  const issued = await untilFree(() =>
    immediately(db, () => {
      if (listAccounts(db).length > 0) return undefined
      createAccount(db, { name: DEMO_ACCOUNT, now_ms })
      return createKey(db, DEMO_ACCOUNT, settings, { randomBytes, now_ms })
    }),
  )
  if (!issued) return undefined
  await ledger.submit({
    op: 'top_up',
    account_id: issued.key.account_id,
    amount_nanos: DEMO_CREDIT_USD * NANOS_PER_USD,
    note: 'first start',
    now_ms,
  })
  return issued.text
}
