// One list in all its forms: what it is called, its filters, its columns, and the query that reads it.
import type { Static, TObject, TProperties, TSchema } from '@sinclair/typebox'
import type { Awaitable, Db } from '../../db/db.ts'
import type { Page, PageRequest } from '../../db/page.ts'
import type { DISPLAY_NAME } from '../../surface/console/account-names.ts'
import type { Columns, FieldsOf } from './columns.ts'

/** Filters that a list has beside account, key and period: the schemas of their values, which are text. */
export type Filters = Readonly<Record<string, TSchema & { static: string }>>

/** Which rows of a list; an absent field does not filter. */
export type FilterOf<F extends Filters> = {
  /** Undefined: of all accounts. Never left out: that would show everybody's. */
  account_id: number | undefined
  key_id: number | undefined
  since_ms: number | undefined
  until_ms: number | undefined
} & { [Name in keyof F]: Static<F[Name]> | undefined }

/** What stands beside the rows of a page, such as how many there are in all. */
export interface Beside<F extends Filters, Fields extends TProperties> {
  fields: Fields
  read(db: Db, filter: FilterOf<F>): Promise<Static<TObject<Fields>>>
}

export interface List<
  Field extends string,
  Row,
  F extends Filters,
  C extends Columns<Row>,
  Fields extends TProperties,
> {
  /** Its command and its files: `audit-log`. */
  name: string
  /** Its rows in JSON: `actions`. */
  field: Field
  /** One row and several, in the help of its command. */
  row: string
  rows: string
  /** What a table without rows says. */
  none: string
  /** A page has at most so many rows, whatever is requested: some 5 to 10 ms. */
  max_rows: number
  /** Whether somebody signed in by a key sees the rows of this key alone, limited or not. */
  keys_see_own?: boolean
  filters: F
  columns: C
  read(db: Db, filter: FilterOf<F>, page: PageRequest): Awaitable<Page<Row>>
  beside?: Beside<F, Fields>
}

/** A row of a list in JSON, as pages of the console get it. */
export type ConsoleRowOf<L> = L extends { columns: infer C }
  ? Static<TObject<FieldsOf<C> & typeof DISPLAY_NAME>>
  : never

/**
 * Defines a list. Curried, because TypeScript infers all type parameters of a call or none.
 *
 * @example defineList<RecordedRefusal>()({ name: 'refusals', field: 'refusals', columns: { status: integer(({ status }) => status) }, … })
 */
export const defineList =
  <Row>() =>
  <
    const Field extends string,
    F extends Filters,
    C extends Columns<Row>,
    Fields extends TProperties = Record<never, never>,
  >(
    list: List<Field, Row, F, C, Fields>,
  ): List<Field, Row, F, C, Fields> =>
    list
