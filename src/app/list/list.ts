// One list in all its forms: its names, its filters, its columns, the query that reads it, and the check that its rows are of their reader.
import type { Static, TObject, TProperties, TSchema } from '@sinclair/typebox'
import type { Viewer } from '../../access/viewer.ts'
import { internal } from '../../domain/errors.ts'
import type { Awaitable, Db } from '../../store/db.ts'
import type { Page, PageRequest } from '../../store/page.ts'
import type { DISPLAY_NAME } from '../surface/console/account-names.ts'
import type { Columns, FieldsOf } from './columns.ts'

/** The part of a filter that says whose rows are read. */
interface OwnerFilter {
  account_id: number | undefined
  key_ids: readonly number[] | undefined
}

/**
 * Checks that rows are of the account and of the keys that were read. Fields that a row lacks are not looked at: the operator's lists have none.
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

/** The same for rows in parts. */
export async function* checkedParts<Row>(
  list: { name: string },
  filter: OwnerFilter,
  parts: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for await (const rows of parts) yield checkOwner(list, filter, rows)
}

export interface Filter {
  /** Of its value, a text, in queries; its description is for the reference of the API. */
  schema: TSchema & { static: string }
  /** Its option of the command, `--model <id>`, and the help of it; absent: the command has none. */
  option?: readonly [flag: string, help: string]
}

export type Filters = Readonly<Record<string, Filter>>

/** The rows to read; an absent field does not filter. */
export type FilterOf<F extends Filters> = {
  /** Undefined: of all accounts. Never left out: that would show everybody's rows. */
  account_id: number | undefined
  /** Of these keys, which may be none. Undefined: of all that the account has. */
  key_ids: readonly number[] | undefined
  since_ms: number | undefined
  until_ms: number | undefined
} & { [Name in keyof F]: Static<F[Name]['schema']> | undefined }

/** The moment of a reading, and its viewer at the console; a command and callers have none. */
export interface Reading {
  now_ms: number
  viewer?: Viewer | undefined
}

interface Totals<F extends Filters, Fields extends TProperties> {
  fields: Fields
  read(db: Db, filter: FilterOf<F>, reading: Reading): Awaitable<Static<TObject<Fields>>>
}

export interface ListPageRequest extends PageRequest {
  /** The id of the first row of the page; counts where there is no cursor. */
  first?: number | undefined
}

export type Owner = 'operator' | 'account' | 'key' | 'viewer'

/** The fields by which `read` finds the rows of an owner, and by which the list refuses another's. A sum over several keys has no key. */
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
  /** Of its files: `audit-log`. */
  name: string
  /** Of its rows in JSON: `actions`. */
  field: Field
  /**
   * The owner of a row. `key`: a key with limits of its own sees the rows of that key, unless its account allows more, a member those of
   * their keys. `account`: they see none. `operator`: accounts and keys see none, whatever route answers, and callers have no such list. `viewer`: `read` finds the rows
   * by the viewer alone, as a person's own sessions, which are of several accounts.
   */
  of: Of
  /** One row in words, `Entry`, where pages of the console may begin with a row, by its id as `first`. */
  begins_with?: string
  /** The most rows of a page, whatever is requested: some 5 to 10 ms. */
  max_rows: number
  /** Whether a session by any key sees the rows of this key alone, with limits or not. */
  keys_see_own?: boolean
  /** Its filters at the console by account, key and period: all of them where absent. */
  selects?: readonly ('account' | 'key' | 'period')[]
  /** Whether rows at the console have the display name of their account, by `account_id`; so where absent. */
  names_accounts?: Named
  filters: F
  columns: C
  /** The columns of CSV in their order; all of them where absent. */
  csv?: readonly (keyof C & string)[]
  /**
   * The query. It applies every part of the filter: a row of another account or key is an error (`checkOwner`), and `test/support/list-filters.ts`
   * tries all parts over two accounts.
   * @returns undefined: the list has no such cursor, or first row
   */
  read(
    db: Db,
    filter: FilterOf<F>,
    page: ListPageRequest,
    reading: Reading,
  ): Awaitable<Page<Row & OwnedBy<Of>> | undefined>
  /** All rows in parts, for files, where there is a quicker way than page by page. */
  readAll?(db: Db, filter: FilterOf<F>): AsyncGenerator<readonly (Row & OwnedBy<Of>)[]>
  totals?: Totals<F, Fields>
}

/** The fields of a row that pages of the console get. */
export type ConsoleFields<C, Named extends boolean> = FieldsOf<C, Viewer['side']> &
  (Named extends false ? unknown : typeof DISPLAY_NAME)

/** A row of a list in JSON, as pages of the console get it. */
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

/** The fields of an operator's list without filters, whose rows are of no account or name it themselves. */
export const UNFILTERED = {
  of: 'operator',
  selects: [],
  names_accounts: false,
  filters: {},
} as const satisfies Partial<List<string, unknown, Filters, Columns<unknown>, TProperties>>
