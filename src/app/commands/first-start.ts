// The demo account of a first start. It can call only simulated models, which cost nothing upstream.
import { accountByName, createAccount, listAccounts } from '../../access/accounts.ts'
import { createKey, listKeys } from '../../access/keys.ts'
import type { RandomBytes } from '../../access/secret.ts'
import { hasOperator } from '../../access/sign-in-links.ts'
import { NANOS_PER_USD } from '../../domain/money.ts'
import type { Ledger } from '../../money/ledger/operations.ts'
import type { Db, Tx } from '../../store/db.ts'

const DEMO_ACCOUNT = 'demo'
/** The simulated models of the first catalogue. */
export const DEMO_MODELS = ['sim-*']
const DEMO_CREDIT_USD = 10

interface Parts {
  db: Db
  ledger: Pick<Ledger, 'submit'>
  randomBytes: RandomBytes
  now: () => number
}

/** Whether the demo account is active, and the only account. */
export async function hasOnlyDemo(db: Db): Promise<boolean> {
  const [first, ...others] = await listAccounts(db)
  return first?.name === DEMO_ACCOUNT && first.status === 'active' && others.length === 0
}

/**
 * Creates the account `demo` with 10 USD and a key for the simulated models, unless the database already has an account or an operator
 * (a new folder over an existing database). The key is created last: if a start was killed before, the next start completes it.
 * @returns the key's text, shown only this once; undefined if there is another account, any key, or an operator but no account
 */
export async function firstStart({ db, ledger, randomBytes, now }: Parts): Promise<string | undefined> {
  const now_ms = now()
  const by = { actor: { kind: 'system' as const }, now_ms }
  const account_id = await db.begin((tx) => prepareDemoAccount(tx, now_ms), { by })
  if (account_id === undefined) return undefined
  await ledger.submit({
    op: 'top_up',
    account_id,
    amount_nanos: DEMO_CREDIT_USD * NANOS_PER_USD,
    note: 'first start',
    request_key: 'first start',
    now_ms,
  })
  const settings = { name: DEMO_ACCOUNT, models: DEMO_MODELS }
  const made = await db.begin(
    async (tx) => {
      await tx.lock(null)
      // Another gateway that starts at the same moment may have created and shown it.
      return (await listKeys(tx)).length > 0
        ? undefined
        : await createKey(tx, DEMO_ACCOUNT, settings, { randomBytes, now_ms })
    },
    { by },
  )
  return made?.text
}

/** @returns the demo account, created now or by a killed start; undefined if there is another account or any key */
async function prepareDemoAccount(tx: Tx, now_ms: number): Promise<number | undefined> {
  await tx.lock(null)
  const is_first = (await listAccounts(tx)).length === 0 && !(await hasOperator(tx))
  if (is_first) await createAccount(tx, { name: DEMO_ACCOUNT, now_ms })
  if (!(await hasOnlyDemo(tx)) || (await listKeys(tx)).length > 0) return undefined
  return (await accountByName(tx, DEMO_ACCOUNT)).id
}
