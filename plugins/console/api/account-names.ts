// Display names of accounts beside their short names, in the rows of lists: for the operator, who gave them.
import type { Database } from 'bun:sqlite'
import { Type } from '@sinclair/typebox'
import { detailsOf } from '../../../src/access/account-details.ts'
import type { Viewer } from '../../../src/access/viewer.ts'

export const DISPLAY_NAME = {
  account_display_name: Type.String({
    description: 'in any letters; empty if not set, and for everybody but the operator',
  }),
}

/** A row as it is before its account's display name is added. */
export type Unnamed<Row> = Omit<Row, keyof typeof DISPLAY_NAME>

/** A row with its account's display name. */
export const named = <Row extends { account_id: number | null }>(db: Database, viewer: Viewer, row: Row) => ({
  ...row,
  account_display_name: displayNameOf(db, viewer, row.account_id),
})

/** Empty for everybody but the operator. */
export const displayNameOf = (
  db: Database,
  { role }: Viewer,
  account_id: number | null | undefined,
): string => (role === 'operator' && account_id ? detailsOf(db, account_id).display_name : '')
