// Rows of a list and their owner: a query that forgot its filter is an error, and shows nobody another's rows.
import { internal } from '../../domain/errors.ts'

/** The part of a filter that says whose rows are read. */
interface OwnerFilter {
  account_id: number | undefined
  key_id: number | undefined
}

/**
 * Checks that rows are of the account and of the key that were read. Fields that a row lacks are not looked at: the operator's lists have none.
 *
 * @returns the rows @throws GatewayError internal
 */
export function checkOwner<Row>(
  { name }: { name: string },
  { account_id, key_id }: OwnerFilter,
  rows: readonly Row[],
): readonly Row[] {
  for (const row of rows) {
    const { account_id: account, key_id: key }: Partial<Record<keyof OwnerFilter, unknown>> = Object(row)
    const is_own = (read: number | undefined, found: unknown) =>
      read === undefined || found === undefined || found === read
    if (!is_own(account_id, account) || !is_own(key_id, key))
      throw internal(`The list ${name} read rows of another account or key.`)
  }
  return rows
}

/** The same for rows in parts. */
export async function* checkedParts<Row>(
  list: { name: string },
  filter: OwnerFilter,
  parts: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for await (const rows of parts) yield checkOwner(list, filter, rows)
}
