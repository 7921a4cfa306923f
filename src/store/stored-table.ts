// A table of the database with its personal data: what an export has of an account's rows, and what an erasure leaves of them.
import { getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

/** The core has its own (tables/core.ts), and plugins hand in theirs; test/store/personal-data.test.ts compares both with the database. */
export interface StoredTable {
  readonly name: string
  readonly table: SQLiteTable
  /** Undefined for a table that says nothing about an account. */
  readonly rule?: TableRule
}

export interface TableRule<Column extends string = string> {
  /** The column with the id of a row's account, or of a person who goes with their account. */
  readonly owner: 'account_id' | 'id' | 'person_id'
  /** An erasure deletes whole rows, or the content of some of their columns. */
  readonly erases: 'rows' | 'columns'
  /** The rows in words, for the README of an export, if it has any of their columns. */
  readonly described?: string
  /** SQL of the path of a row's file in the data folder; null if it has none. The file goes before its row. */
  readonly file?: string
  /** The column by which an index orders an account's rows. Absent: the id. */
  readonly in_order_of?: NoInfer<Column>
  readonly columns: Readonly<Record<Column, ColumnRule>>
}

export interface ColumnRule {
  /** An export writes it as it is, as the JSON that its text is, or bytes as the text that they are. Absent: not at all. */
  readonly exported?: 'as_is' | 'json' | 'bytes'
  /** SQL that an export reads it by, where that is not the column alone. */
  readonly read?: string
  /** SQL that an erasure puts in its place, where the row stays. Absent: the value stays. */
  readonly erased?: string
}

export const EXPORTED: ColumnRule = { exported: 'as_is' }
export const EXPORTED_JSON: ColumnRule = { exported: 'json' }
export const NOT_EXPORTED: ColumnRule = {}

type WordOf<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | WordOf<Rest> : Text

/** One rule for several columns. @param names with a space between them */
export const columns = <Names extends string>(
  names: Names,
  rule: ColumnRule,
): Record<WordOf<Names>, ColumnRule> =>
  Object.fromEntries(names.split(' ').map((name) => [name, rule])) as Record<WordOf<Names>, ColumnRule>

type ColumnOf<Table extends SQLiteTable> = keyof Table['$inferSelect'] & string

/** A table with rows of accounts. The compiler requires a rule of each column. */
export const accountTable = <Table extends SQLiteTable>(
  table: Table,
  {
    owner = 'account_id',
    ...rule
  }: Omit<TableRule<ColumnOf<Table>>, 'owner'> & Partial<Pick<TableRule, 'owner'>>,
): StoredTable => ({ name: getTableName(table), table, rule: { owner, ...rule } })

/** A table that says nothing about an account, such as the prices of the catalogue. */
export const unownedTable = (table: SQLiteTable): StoredTable => ({ name: getTableName(table), table })

/** A table with an account's data. */
export interface RuledTable extends StoredTable {
  readonly rule: TableRule
}

export const ruledTables = (tables: readonly StoredTable[]): RuledTable[] =>
  tables.flatMap(({ rule, ...table }) => (rule ? [{ ...table, rule }] : []))

/** SQL of which rows are an account's: of `$account_id`. */
export const isOfAccount = ({ owner }: TableRule): string =>
  owner === 'person_id'
    ? 'person_id IN (SELECT id FROM people WHERE account_id = $account_id)'
    : `${owner} = $account_id`

/** The tables that an export has. */
export const exportedTables = (tables: readonly StoredTable[]): RuledTable[] =>
  ruledTables(tables).filter(({ rule }) =>
    Object.values(rule.columns).some(({ exported }) => exported !== undefined),
  )

/** The columns that an erasure writes over, with the SQL in their place. */
export const erasedColumns = ({ columns }: TableRule): [column: string, sql: string][] =>
  Object.entries(columns).flatMap(([column, { erased }]) => (erased === undefined ? [] : [[column, erased]]))
