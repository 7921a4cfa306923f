// Display names of accounts in the rows of lists: only for the operator, who sets them.
import { Type } from '@sinclair/typebox'
import { detailsOf } from '../../../access/account-details.ts'
import { listedAccounts } from '../../../access/account-listing.ts'
import type { Viewer } from '../../../access/viewer.ts'
import type { Db } from '../../../store/db.ts'

export const DISPLAY_NAME = {
  account_display_name: Type.String({
    description: 'in any letters; empty if not set, and for everybody but the operator',
  }),
}

/** A row without its account's display name. */
export type Unnamed<Row> = Omit<Row, keyof typeof DISPLAY_NAME>

/** Adds its account's display name to a row. */
export const named = async <Row extends { account_id: number | null }>(db: Db, viewer: Viewer, row: Row) => ({
  ...row,
  account_display_name: await displayNameOf(db, viewer, row.account_id),
})

/** Adds their accounts' display names to rows, by one query. */
export async function allNamed<Row extends { account_id: number | null }>(
  db: Db,
  { side }: Viewer,
  rows: readonly Row[],
) {
  const names = side === 'operator' ? await displayNames(db, rows) : undefined
  return rows.map((row) => ({
    ...row,
    account_display_name: (row.account_id !== null && names?.get(row.account_id)) || '',
  }))
}

async function displayNames(
  db: Db,
  rows: readonly { account_id: number | null }[],
): Promise<ReadonlyMap<number, string>> {
  const ids = new Set(rows.flatMap(({ account_id }) => account_id ?? []))
  if (ids.size === 0) return new Map()
  return new Map((await listedAccounts(db, [...ids])).map(({ id, display_name }) => [id, display_name]))
}

/** Returns an account's display name; empty for every viewer but the operator. */
export const displayNameOf = async (
  db: Db,
  { side }: Viewer,
  account_id: number | null | undefined,
): Promise<string> =>
  side === 'operator' && account_id ? (await detailsOf(db, account_id)).display_name : ''
