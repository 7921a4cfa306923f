// Bulk creation of accounts imported from another gateway, with sign-ins, limits and keys: one statement per table, not per row.
import { recordActions } from '../store/actions.ts'
import type { Tx } from '../store/db.ts'
import { account_details, accounts, passwords } from '../store/schema.ts'
import { batchesOf } from '../utilities/batches.ts'
import { type AccountDetails, checkedDetails, NO_DETAILS } from './account-details.ts'
import { checkAccountName, nameTaken } from './accounts.ts'
import { checkBudgets } from './budgets.ts'
import { type ImportedBudgets, insertBudgets, limitFields, MAX_ROWS } from './imported-budgets.ts'
import { checkImportedKey, insertKeys, type NewImportedKey } from './imported-keys.ts'
import { requireOwners } from './people.ts'

interface NewImportedAccount extends ImportedBudgets, Pick<AccountDetails, 'display_name' | 'email'> {
  readonly name: string
  readonly status: 'active' | 'suspended'
  /** Null: list prices. */
  readonly price_group: string | null
  /** Hash for the table `passwords`; null without a password. */
  readonly password_hash: string | null
  readonly keys: readonly NewImportedKey[]
}

/** The IDs of an account and its keys, in the given order. */
interface AccountIds {
  account_id: number
  key_ids: number[]
}

/**
 * Creates accounts without money, in a transaction that has locked the operator.
 *
 * @throws GatewayError invalid_request for a malformed name, detail, setting or limit, or a taken name; conflict for a key that exists
 */
export async function createImportedAccounts(
  tx: Tx,
  imported: readonly NewImportedAccount[],
  now_ms: number,
): Promise<AccountIds[]> {
  for (const account of imported) check(account, now_ms)
  const created = await insertAccounts(tx, imported, now_ms)
  for (const part of batchesOf(detailsOf(created), MAX_ROWS))
    await tx.orm.insert(account_details).values(part)
  const signing_in = created.filter(({ account }) => account.password_hash !== null)
  for (const part of batchesOf(signing_in, MAX_ROWS)) await insertPasswords(tx, part, now_ms)
  const owners = created.map(({ account, account_id }) => ({ ...account, account_id, key_id: null }))
  await insertBudgets(tx, owners, now_ms)
  await recordActions(
    tx,
    created.map(({ account: { name, status, price_group, budgets }, account_id }) => ({
      action: 'account.created',
      account_id,
      after: {
        name,
        ...(status === 'active' ? {} : { status }),
        ...(price_group === null ? {} : { price_group }),
        ...limitFields(budgets),
      },
    })),
  )
  const owned = created.flatMap(({ account, account_id }) =>
    account.keys.map((key) => ({ ...key, account_id })),
  )
  const key_ids = (await insertKeys(tx, owned, now_ms)).map(({ id }) => id)
  return created.map(({ account, account_id }) => ({
    account_id,
    key_ids: key_ids.splice(0, account.keys.length),
  }))
}

function check({ name, budgets, keys }: NewImportedAccount, now_ms: number): void {
  checkAccountName(name)
  checkBudgets(budgets)
  for (const key of keys) checkImportedKey(key, now_ms)
}

interface Created {
  readonly account: NewImportedAccount
  readonly account_id: number
}

async function insertAccounts(
  tx: Tx,
  imported: readonly NewImportedAccount[],
  now_ms: number,
): Promise<Created[]> {
  const no_money = { balance_nanos: 0, held_nanos: 0, debt_nanos: 0, created_at_ms: now_ms }
  const rows = await tx.orm
    .insert(accounts)
    .values(imported.map(({ name, status, price_group }) => ({ name, status, price_group, ...no_money })))
    .onConflictDoNothing()
    .returning({ id: accounts.id, name: accounts.name })
  const ids = new Map(rows.map(({ id, name }) => [name, id]))
  return imported.map((account) => {
    const account_id = ids.get(account.name)
    if (account_id === undefined) throw nameTaken(account.name)
    return { account, account_id }
  })
}

const detailsOf = (created: readonly Created[]) =>
  created.flatMap(({ account: { display_name, email }, account_id }) => {
    if (display_name === '' && email === '') return []
    const details = checkedDetails({ ...NO_DETAILS, display_name, email })
    return [{ ...details, account_id, keys_see_account: 0 }]
  })

async function insertPasswords(tx: Tx, created: readonly Created[], now_ms: number): Promise<void> {
  const accounts = created.map(({ account: { name }, account_id }) => ({ account_id, name }))
  const owners = await requireOwners(tx, accounts, now_ms)
  const rows = created.flatMap(({ account: { password_hash: hash }, account_id }) => {
    const person_id = owners.get(account_id)
    return hash === null || person_id === undefined ? [] : [{ person_id, hash, set_at_ms: now_ms }]
  })
  await tx.orm.insert(passwords).values(rows)
}
