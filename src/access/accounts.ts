// Owns the administration of accounts: made, listed, suspended and resumed. Their money is the ledger's.
import type { Database } from 'bun:sqlite'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { type Account, accounts } from '../db/schema.ts'
import { invalidRequest, notFound } from '../domain/errors.ts'

/** Names of accounts and keys: what can be typed in a shell without quotes, e-mail addresses included. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/

/** @throws GatewayError invalid_request when a name is empty, too long, or has other characters */
export function checkName(name: string): void {
  if (!NAME.test(name)) {
    throw invalidRequest(
      `"${name}" is not a name: 1 to 64 letters, digits and . _ @ + -, the first one a letter or a digit.`,
      { param: 'name' },
    )
  }
}

/**
 * Makes an active account with no money.
 *
 * @throws GatewayError invalid_request when the name is malformed or taken
 */
export function createAccount(db: Database, account: { name: string; now_ms: number }): Account {
  const { name, now_ms } = account
  checkName(name)
  const [made] = drizzle({ client: db })
    .insert(accounts)
    .values({
      name,
      status: 'active',
      balance_nanos: 0,
      held_nanos: 0,
      debt_nanos: 0,
      created_at_ms: now_ms,
    })
    .onConflictDoNothing({ target: accounts.name })
    .returning()
    .all()
  if (!made) throw invalidRequest(`There is already an account "${name}".`, { param: 'name' })
  return made
}

/** All accounts, the oldest first. */
export function listAccounts(db: Database): Account[] {
  return drizzle({ client: db }).select().from(accounts).orderBy(accounts.id).all()
}

/** @throws GatewayError not_found when there is no account of this name */
export function accountByName(db: Database, name: string): Account {
  const found = drizzle({ client: db }).select().from(accounts).where(eq(accounts.name, name)).get()
  if (!found) throw noSuchAccount(name)
  return found
}

/**
 * Refuses an account's calls from now on; those under way are finished and charged. Suspending twice changes nothing.
 *
 * @throws GatewayError not_found when there is no account of this name
 */
export function suspendAccount(db: Database, name: string): Account {
  return setStatus(db, name, 'suspended')
}

/**
 * Lets a suspended account call again.
 *
 * @throws GatewayError not_found when there is no account of this name
 */
export function resumeAccount(db: Database, name: string): Account {
  return setStatus(db, name, 'active')
}

function setStatus(db: Database, name: string, status: Account['status']): Account {
  const [changed] = drizzle({ client: db })
    .update(accounts)
    .set({ status })
    .where(eq(accounts.name, name))
    .returning()
    .all()
  if (!changed) throw noSuchAccount(name)
  return changed
}

const noSuchAccount = (name: string) =>
  notFound(`There is no account "${name}". \`tollgate account list\` shows those there are.`)
