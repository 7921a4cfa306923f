// The definition of a list: its names, filters and columns, the query that reads it, and the check that its rows belong to the reader.
import type { Static, TObject, TProperties, TSchema } from '@sinclair/typebox'
import type { Viewer } from '../../access/viewer.ts'
import { internal } from '../../domain/errors.ts'
import type { Awaitable, Db } from '../../store/db.ts'
import type { Page, PageRequest } from '../../store/page.ts'
import type { DISPLAY_NAME } from '../surface/console/account-names.ts'
import type { Columns, FieldsOf } from './columns.ts'

/** The part of a filter that selects rows by owner. */
interface OwnerFilter {
  account_id: number | undefined
  key_ids: readonly number[] | undefined
}

/**
 * Checks that rows belong to the requested account and keys. A field that a row lacks is not checked: the operator's lists have none.
 * @returns the rows @throws GatewayError internal
 */
export function checkOwner<Row>(
  { name }: { name: string },
  { account_id, key_ids }: OwnerFilter,
  rows: readonly Row[],
): readonly Row[] {
  for (const row of rows) {
    const { account_id: account, key_id: key }: { account_id?: unknown; key_id?: unknown } = Object(row)
    const is_of_account = account_id === undefined || account === undefined || account === account_id
    const is_of_keys = key_ids === undefined || key === undefined || key_ids.some((id) => id === key)
    if (!is_of_account || !is_of_keys) throw internal(`The list ${name} read rows of another account or key.`)
  }
  return rows
}

/** Checks rows in parts, as `checkOwner`. */
export async function* checkedParts<Row>(
  list: { name: string },
  filter: OwnerFilter,
  parts: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for await (const rows of parts) yield checkOwner(list, filter, rows)
}

export interface Filter {
  /** The schema of its value in queries, a string; its description appears in the API reference. */
  schema: TSchema & { static: string }
  /** The command's option, such as `--model <id>`, and its help; none if absent. */
  option?: readonly [flag: string, help: string]
}

export type Filters = Readonly<Record<string, Filter>>

/** The rows to read; an absent field does not filter. */
export type FilterOf<F extends Filters> = {
  /** Undefined for all accounts. Required, so that no code omits it by mistake and reads every account's rows. */
  account_id: number | undefined
  /** The keys whose rows are read; an empty list reads none, undefined those of all keys of the account. */
  key_ids: readonly number[] | undefined
  since_ms: number | undefined
  until_ms: number | undefined
} & { [Name in keyof F]: Static<F[Name]['schema']> | undefined }

/** The time of a read, and its viewer at the console; commands and callers have no viewer. */
export interface Reading {
  now_ms: number
  viewer?: Viewer | undefined
}

interface Totals<F extends Filters, Fields extends TProperties> {
  fields: Fields
  read(db: Db, filter: FilterOf<F>, reading: Reading): Awaitable<Static<TObject<Fields>>>
}

export interface ListPageRequest extends PageRequest {
  /** The ID of the first row of the page; ignored if there is a cursor. */
  first?: number | undefined
}

export type Owner = 'operator' | 'account' | 'key' | 'viewer'

/** The fields that every row must have, so that `checkOwner` can check its owner. A sum over several keys has no key. */
type OwnedBy<Of extends Owner> = Of extends 'key'
  ? { account_id: number | null; key_id: number | null | undefined }
  : Of extends 'account'
    ? { account_id: number | null }
    : unknown

export interface List<
  Field extends string,
  Row,
  F extends Filters,
  C extends Columns<Row>,
  Fields extends TProperties,
  Named extends boolean = boolean,
  Of extends Owner = Owner,
> {
  /** The name of its files: `audit-log`. */
  name: string
  /** The JSON field of its rows: `actions`. */
  field: Field
  /**
   * The owner of a row. `key`: a key with its own limits sees the rows of that key, unless its account allows more; a member sees those of
   * their keys. `account`: such keys and members see none. `operator`: only the operator sees rows, on every route, and callers have no such
   * list. `viewer`: `read` selects the rows by the viewer only, such as a person's sessions, which span several accounts.
   */
  of: Of
  /** The word for a row, such as `Entry`, if console pages may begin with a row, by its ID in `first`. */
  begins_with?: string
  /** The maximum rows of a page: a read of 5 to 10 ms. */
  max_rows: number
  /** Whether a console session of a key sees only the rows of this key, even if the key has no limits. */
  keys_see_own?: boolean
  /** Its console filters by account, key and period; all of them if absent. */
  selects?: readonly ('account' | 'key' | 'period')[]
  /** Whether console rows include their account's display name, by `account_id`; true if absent. */
  names_accounts?: Named
  filters: F
  columns: C
  /** The columns of CSV in their order; all of them if absent. */
  csv?: readonly (keyof C & string)[]
  /**
   * Reads a page. It must apply every part of the filter: a row of another account or key is an error (`checkOwner`), and
   * `test/support/list-filters.ts` tests all parts over two accounts.
   * @returns undefined if the cursor or the first row does not exist
   */
  read(
    db: Db,
    filter: FilterOf<F>,
    page: ListPageRequest,
    reading: Reading,
  ): Awaitable<Page<Row & OwnedBy<Of>> | undefined>
  /** Reads all rows in parts, for files, if that is quicker than page by page. */
  readAll?(db: Db, filter: FilterOf<F>): AsyncGenerator<readonly (Row & OwnedBy<Of>)[]>
  totals?: Totals<F, Fields>
}

/** The fields of a row for console pages. */
export type ConsoleFields<C, Named extends boolean> = FieldsOf<C, Viewer['side']> &
  (Named extends false ? unknown : typeof DISPLAY_NAME)

/** A row in JSON for console pages. */
export type ConsoleRowOf<L> = L extends { columns: infer C; names_accounts?: infer Named }
  ? Static<TObject<ConsoleFields<C, Extract<Named, boolean>>>>
  : never

/**
 * Defines a list. Curried, because TypeScript infers all type parameters of a call or none.
 * @example defineList<RecordedRefusal>()({ name: 'refusals', columns: { status: integer(({ status }) => status) }, … })
 */
export const defineList =
  <Row>() =>
  <
    const Field extends string,
    F extends Filters,
    C extends Columns<Row>,
    Fields extends TProperties = Record<never, never>,
    Named extends boolean = true,
    const Of extends Owner = Owner,
  >(
    list: List<Field, Row, F, C, Fields, Named, Of>,
  ): List<Field, Row, F, C, Fields, Named, Of> =>
    list

/** Options of an operator's list without filters, whose rows have no account or include its name. */
export const UNFILTERED = {
  of: 'operator',
  selects: [],
  names_accounts: false,
  filters: {},
} as const satisfies Partial<List<string, unknown, Filters, Columns<unknown>, TProperties>>
