// Administration of accounts: create, find, rename, suspend. The ledger owns their money.
import { conflict, invalidRequest, notFound } from '../domain/errors.ts'
import { checkNote } from '../domain/notes.ts'
import { recordAction } from '../store/actions.ts'
import type { Awaitable, Db, Tx } from '../store/db.ts'
import type { Account, SuspensionReason } from '../store/schema.ts'
import { accountQueries, closingQueries, erasingQueries } from './queries.ts'
import { saveSuspension, suspensionOf } from './suspension.ts'

/** Names of accounts and keys need no quotes in a shell; e-mail addresses are valid names. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/

/**
 * @param param request field for the error
 * @throws GatewayError invalid_request if a name is empty, too long, or has other characters
 */
export function checkName(name: string, param = 'name'): void {
  if (!isName(name)) {
    throw invalidRequest(
      `"${name}" is not a valid name. Use 1 to 64 letters, digits and . _ @ + -, and begin with a letter or a digit.`,
      { param },
    )
  }
}

/** The operator's name at sign-in. An account of an earlier version may have this name, too. */
export const OPERATORS_NAME = 'operator'

/** The name of an erased account; not allowed for other accounts. */
export const pseudonymOf = (account_id: number): string => `erased-${account_id}`
const PSEUDONYM = /^erased-\d+$/

/** Whether `checkName` accepts a name. */
export const isName = (name: string): boolean => NAME.test(name)

const isOperatorsName = (name: string): boolean => name.toLowerCase() === OPERATORS_NAME

/** Whether `checkAccountName` accepts a name. */
export const isAccountName = (name: string): boolean =>
  isName(name) && !isOperatorsName(name) && !PSEUDONYM.test(name)

/** @throws GatewayError invalid_request as `checkName`, for the operator's name, and for names of erased accounts */
export function checkAccountName(name: string): void {
  checkName(name)
  if (isOperatorsName(name))
    throw invalidRequest(`"${name}" is reserved for the operator. Choose another name.`, { param: 'name' })
  if (PSEUDONYM.test(name))
    throw invalidRequest(`"${name}" is the name of an erased account. Choose another name.`, {
      param: 'name',
    })
}

interface NewAccount {
  name: string
  /** Null or absent: list prices. */
  price_group?: string | null
  now_ms: number
}

/**
 * Creates an active account without money.
 *
 * @throws GatewayError invalid_request if the name is malformed or taken
 */
export async function createAccount(db: Db, account: NewAccount): Promise<Account> {
  const { name, price_group = null, now_ms } = account
  checkAccountName(name)
  return await db.begin(async (tx) => {
    // So that no other account is renamed to this name.
    await tx.lock(null)
    const created: Account | undefined = await accountQueries(tx).insertAccount.get({
      name,
      created_at_ms: now_ms,
      price_group,
    })
    if (!created) throw nameTaken(name)
    const after = { name, ...(price_group !== null && { price_group }) }
    await recordAction(tx, { action: 'account.created', account_id: created.id, after })
    return created
  })
}

/** All accounts, oldest first. */
export const listAccounts = (db: Db): Awaitable<Account[]> => accountQueries(db).listAccounts.all()

export const findAccount = (db: Db, name: string): Awaitable<Account | undefined> =>
  accountQueries(db).accountByName.get({ name })

/** @throws GatewayError not_found */
export async function accountByName(db: Db, name: string): Promise<Account> {
  const found = await findAccount(db, name)
  if (!found) throw noSuchAccount(name)
  return found
}

/**
 * Locks an account until the end of the transaction, also against the ledger.
 *
 * @throws GatewayError not_found
 */
export async function lockedAccount(tx: Tx, name: string): Promise<Account> {
  const { id } = await accountByName(tx, name)
  await tx.lock(id)
  // Reads the account again under the lock: it may have been renamed.
  const account: Account | undefined = await accountQueries(tx).accountById.get({ id })
  if (account?.name !== name) throw noSuchAccount(name)
  return account
}

export interface NewSuspension {
  /** Default: `operator`. */
  reason?: SuspensionReason
  /** The operator's message to the account's people. */
  words?: string
  now_ms: number
}

/**
 * Refuses an account's calls from now on; running calls are finished and charged. Its people can still sign in, to see the reason and to pay
 * (`rights.ts`). A second suspension by an operator changes the reason; other repetitions, and closed accounts, change nothing.
 *
 * @throws GatewayError not_found; invalid_request for a message that is too long or has several lines
 */
export async function suspendAccount(db: Db, name: string, suspension: NewSuspension): Promise<Account> {
  const { reason = 'operator', now_ms } = suspension
  const words = (suspension.words ?? '').trim()
  checkNote(words, 'reason')
  return await db.begin(async (tx) => {
    const account = await lockedAccount(tx, name)
    const { id: account_id, status } = account
    if (await closingQueries(tx).find.get({ account_id })) return account
    const before = await suspensionOf(tx, account)
    const is_new = !before || (reason === 'operator' && (before.reason !== reason || words !== ''))
    if (!is_new) return account
    await saveSuspension(tx, account_id, { reason, words, suspended_at_ms: now_ms })
    await recordAction(tx, {
      action: 'account.suspended',
      account_id,
      before: { status, ...(before && { reason: before.reason }) },
      after: { status: 'suspended', reason, ...(words !== '' && { words }) },
    })
    return await setStatus(tx, name, 'suspended')
  })
}

/**
 * Renames an account.
 *
 * @throws GatewayError not_found; conflict if it is erased; invalid_request if the new name is malformed or taken
 */
export async function renameAccount(db: Db, name: string, new_name: string): Promise<Account> {
  checkAccountName(new_name)
  return await db.begin(async (tx) => {
    // So that no other account gets the new name meanwhile.
    await tx.lock(null)
    const account = await lockedAccount(tx, name)
    await refuseErased(tx, account)
    if (await findAccount(tx, new_name)) throw nameTaken(new_name)
    await recordAction(tx, {
      action: 'account.renamed',
      account_id: account.id,
      before: { name },
      after: { name: new_name },
    })
    const renamed: Account = await accountQueries(tx).rename.get({ name, new_name })
    return renamed
  })
}

/** @throws GatewayError conflict if the account is erased, or being erased */
export async function refuseErased(db: Db, { id, name }: Pick<Account, 'id' | 'name'>): Promise<void> {
  if (await erasingQueries(db).find.get({ account_id: id }))
    throw conflict(`The account "${name}" is erased and cannot be opened or renamed. Create a new one.`)
}

/** Changes a status. The caller records the action in the same transaction. @throws GatewayError not_found */
export async function setStatus(tx: Tx, name: string, status: Account['status']): Promise<Account> {
  const changed: Account | undefined = await accountQueries(tx).setStatus.get({ name, status })
  if (!changed) throw noSuchAccount(name)
  return changed
}

export const nameTaken = (name: string) =>
  invalidRequest(`Account "${name}" already exists.`, { param: 'name' })
export const noSuchAccount = (name: string) =>
  notFound(`Account "${name}" not found. \`tollgate account list\` shows all accounts.`)
