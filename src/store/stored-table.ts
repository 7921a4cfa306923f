// A table with rules for its personal data: the parts of an account's rows that an export contains, and that an erasure removes.
import { getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

/** The core lists its own tables (tables/core.ts), plugins theirs. test/store/personal-data.test.ts compares both with the database. */
export interface StoredTable {
  readonly name: string
  readonly table: SQLiteTable
  /** Undefined for a table without data about accounts. */
  readonly rule?: TableRule
}

export interface TableRule<Column extends string = string> {
  /** The column with the id of a row's account, or of a person who belongs to the account. */
  readonly owner: 'account_id' | 'id' | 'person_id'
  /** Whether an erasure deletes whole rows, or the content of some columns. */
  readonly erases: 'rows' | 'columns'
  /** A description of the rows for the README of an export, if it contains any of their columns. */
  readonly described?: string
  /** SQL for the path of a row's file in the data folder; null without a file. The file is deleted before its row. */
  readonly file?: string
  /** The column by which an index orders an account's rows. Absent: the id. */
  readonly in_order_of?: NoInfer<Column>
  readonly columns: Readonly<Record<Column, ColumnRule>>
}

export interface ColumnRule {
  /** How an export writes it: unchanged, as the JSON in its text, or bytes as the text that they encode. Absent: not exported. */
  readonly exported?: 'as_is' | 'json' | 'bytes'
  /** SQL with which an export reads it. Absent: the column itself. */
  readonly read?: string
  /** SQL for the value that an erasure writes, if the row stays. Absent: the value stays. */
  readonly erased?: string
}

export const EXPORTED: ColumnRule = { exported: 'as_is' }
export const EXPORTED_JSON: ColumnRule = { exported: 'json' }
export const NOT_EXPORTED: ColumnRule = {}

type WordOf<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | WordOf<Rest> : Text

/** Returns one rule for several columns. @param names separated by spaces */
export const columns = <Names extends string>(
  names: Names,
  rule: ColumnRule,
): Record<WordOf<Names>, ColumnRule> =>
  Object.fromEntries(names.split(' ').map((name) => [name, rule])) as Record<WordOf<Names>, ColumnRule>

type ColumnOf<Table extends SQLiteTable> = keyof Table['$inferSelect'] & string

/** Describes a table with rows of accounts. The compiler requires a rule for each column. */
export const accountTable = <Table extends SQLiteTable>(
  table: Table,
  {
    owner = 'account_id',
    ...rule
  }: Omit<TableRule<ColumnOf<Table>>, 'owner'> & Partial<Pick<TableRule, 'owner'>>,
): StoredTable => ({ name: getTableName(table), table, rule: { owner, ...rule } })

/** Describes a table without data about accounts, such as the catalogue's prices. */
export const unownedTable = (table: SQLiteTable): StoredTable => ({ name: getTableName(table), table })

/** A table with data about accounts. */
export interface RuledTable extends StoredTable {
  readonly rule: TableRule
}

export const ruledTables = (tables: readonly StoredTable[]): RuledTable[] =>
  tables.flatMap(({ rule, ...table }) => (rule ? [{ ...table, rule }] : []))

/** Returns SQL that matches an account's rows, with the parameter `$account_id`. */
export const isOfAccount = ({ owner }: TableRule): string =>
  owner === 'person_id'
    ? 'person_id IN (SELECT id FROM people WHERE account_id = $account_id)'
    : `${owner} = $account_id`

/** Returns the tables that an export contains. */
export const exportedTables = (tables: readonly StoredTable[]): RuledTable[] =>
  ruledTables(tables).filter(({ rule }) =>
    Object.values(rule.columns).some(({ exported }) => exported !== undefined),
  )

/** Returns the columns that an erasure overwrites, with the SQL for their values. */
export const erasedColumns = ({ columns }: TableRule): [column: string, sql: string][] =>
  Object.entries(columns).flatMap(([column, { erased }]) => (erased === undefined ? [] : [[column, erased]]))
