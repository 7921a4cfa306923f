// Imported accounts with their sign-ins, limits and keys. Each transaction creates a batch of complete accounts.
import { createImportedAccounts } from '../../../src/access/imported-accounts.ts'
import { importKeys, type NewImportedKey } from '../../../src/access/imported-keys.ts'
import type { Db, Tx } from '../../../src/store/db.ts'
import { batchesOf } from '../../../src/utilities/batches.ts'
import { accountContent, accountIdentity, keyContent, keyIdentity, prefixOf } from '../plan/identity.ts'
import type { PlannedAccount, PlannedKey } from '../plan/plan.ts'
import { type ImportedRow, imported_rows } from '../tables.ts'
import { batchesOfStep, type ImportRun } from './import-run.ts'

/** A batch holds SQLite's write lock for some 20 ms. */
const ACCOUNTS_A_BATCH = 100
const ROWS_A_STATEMENT = 500

/** @throws StorageFailure; GatewayError if a name was taken after the plan was made: a second run takes another name */
export async function applyAccounts(db: Db, run: ImportRun): Promise<void> {
  const { plan, probe, now_ms } = run
  const step = { size: ACCOUNTS_A_BATCH, what: 'Importing accounts', unit: 'accounts' }
  for (const batch of batchesOfStep(run, plan.accounts, step)) {
    await db.begin(async (tx) => {
      // Locks the names of all accounts.
      await tx.lock(null)
      const created = await createAccounts(
        tx,
        batch.filter(({ account_id }) => account_id === undefined),
        now_ms,
      )
      const added: NewImportedRow[] = []
      for (const account of batch)
        if (account.account_id !== undefined)
          added.push(...(await addKeys(tx, account, account.account_id, now_ms)))
      await insertImportedRows(tx, plan.source, [...created, ...added], now_ms)
    })
    probe('accounts')
  }
}

type NewImportedRow = Omit<ImportedRow, 'id' | 'source' | 'imported_at_ms'>

async function insertImportedRows(
  tx: Tx,
  source: string,
  rows: readonly NewImportedRow[],
  now_ms: number,
): Promise<void> {
  for (const part of batchesOf(rows, ROWS_A_STATEMENT))
    await tx.orm.insert(imported_rows).values(part.map((row) => ({ ...row, source, imported_at_ms: now_ms })))
}

async function createAccounts(
  tx: Tx,
  planned: readonly PlannedAccount[],
  now_ms: number,
): Promise<NewImportedRow[]> {
  if (planned.length === 0) return []
  const created = await createImportedAccounts(
    tx,
    planned.map(({ incoming, name, display_name, email, keys }) => ({
      name,
      display_name,
      email,
      status: incoming.status,
      price_group: incoming.price_group ?? null,
      password_hash: incoming.password_hash,
      budgets: incoming.budgets,
      budgets_used: incoming.budgets_used,
      keys: keys.map((key) => newKey(key, now_ms)),
    })),
    now_ms,
  )
  return planned.flatMap((account, at) => {
    const { account_id = 0, key_ids = [] } = created[at] ?? {}
    return [
      accountRow(account, account_id),
      ...account.keys.map((key, at) => keyRow(key, account_id, key_ids[at] ?? 0)),
    ]
  })
}

function accountRow({ incoming, balance_nanos }: PlannedAccount, account_id: number): NewImportedRow {
  const credited = incoming.balance_nanos === null && balance_nanos === 0 ? undefined : balance_nanos
  return {
    kind: 'account',
    source_id: incoming.source_id,
    account_id,
    key_id: null,
    identity: accountIdentity(incoming),
    content: JSON.stringify(accountContent(incoming, credited)),
  }
}

const keyRow = ({ incoming }: PlannedKey, account_id: number, key_id: number): NewImportedRow => ({
  kind: 'key',
  source_id: incoming.source_id,
  account_id,
  key_id,
  identity: keyIdentity(incoming),
  content: JSON.stringify(keyContent(incoming)),
})

function newKey({ incoming, name }: PlannedKey, now_ms: number): NewImportedKey {
  const { sha256, created_at_ms, models, addresses, spend_limit_nanos, expires_at_ms } = incoming
  return {
    settings: { name, models, addresses, spend_limit_nanos, expires_at_ms, concurrent_calls: null },
    sha256,
    prefix: prefixOf(incoming),
    created_at_ms: created_at_ms ?? now_ms,
    budgets: incoming.budgets,
    budgets_used: incoming.budgets_used,
  }
}

/** Adds new keys to an account of an earlier import. */
async function addKeys(
  tx: Tx,
  { keys }: PlannedAccount,
  account_id: number,
  now_ms: number,
): Promise<NewImportedRow[]> {
  const added = await importKeys(
    tx,
    account_id,
    keys.map((key) => newKey(key, now_ms)),
    now_ms,
  )
  return keys.map((key, at) => keyRow(key, account_id, added[at]?.id ?? 0))
}
