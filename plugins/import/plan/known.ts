// Rows of the data folder that an import depends on: earlier imported rows, and names and keys in use.
import { listAccounts } from '../../../src/access/accounts.ts'
import { listKeys } from '../../../src/access/keys.ts'
import type { Db } from '../../../src/store/db.ts'
import type { Account, Key } from '../../../src/store/schema.ts'
import type { ImportedRow } from '../tables.ts'

/** An imported row, with whether the ledger has its account's opening balance. */
export interface KnownRow extends ImportedRow {
  readonly is_settled: 0 | 1
}

export interface Known {
  /** By kind and row: "account user 17". */
  readonly rows: ReadonlyMap<string, KnownRow>
  readonly accounts: ReadonlyMap<number, Account>
  readonly keys: readonly Key[]
  /** Ids of closed accounts, which cannot get keys. */
  readonly closed: ReadonlySet<number>
}

export const NOTHING_KNOWN: Known = { rows: new Map(), accounts: new Map(), keys: [], closed: new Set() }

export const rowName = (kind: ImportedRow['kind'], source_id: string): string => `${kind} ${source_id}`

/** The reference of an opening balance: the ledger accepts it once. */
export const referenceOf = (source: string, source_id: string): string => `${source} ${source_id}`

const ROWS = `
  SELECT imported_rows.*, CASE WHEN EXISTS (
           SELECT 1 FROM entries WHERE entries.account_id = imported_rows.account_id
              AND entries.request_key = imported_rows.source || ' ' || imported_rows.source_id)
         OR EXISTS (
           SELECT 1 FROM opening_debts WHERE opening_debts.account_id = imported_rows.account_id
              AND opening_debts.request_key = imported_rows.source || ' ' || imported_rows.source_id) THEN 1 ELSE 0 END AS is_settled
    FROM imported_rows WHERE source = $source`

/** @param source the name of the import */
export async function readKnown(db: Db, source: string): Promise<Known> {
  const rows = await db.rows<KnownRow>(ROWS, { source })
  const accounts = await listAccounts(db)
  const closed = await db.rows<{ account_id: number }>('SELECT account_id FROM closed_accounts')
  return {
    rows: new Map(rows.map((row) => [rowName(row.kind, row.source_id), row])),
    accounts: new Map(accounts.map((account) => [account.id, account])),
    keys: await listKeys(db),
    closed: new Set(closed.map(({ account_id }) => account_id)),
  }
}
