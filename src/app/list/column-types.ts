// The types of a list's columns, and of the fields that readers get of a row.
import type { TInteger, TNull, TOptional, TProperties, TSchema, TString, TUnion } from '@sinclair/typebox'
import type { Viewer } from '../../access/viewer.ts'
import type { Nanos } from '../../domain/money.ts'
import type { Cell } from '../../http/csv.ts'
import type { Column as TableColumn } from '../command-line/table.ts'

/**
 * A reader of lists: a viewer of the console by their role, a caller with an API key, or a command in its JSON, which reads as the operator
 * does but for columns that name it.
 */
export type Reader = Viewer['role'] | 'caller' | 'command'

export type Value = string | number | boolean | null | Record<string, unknown>

export interface ColumnOptions {
  /** For the reference of the API. */
  description?: string
  /** Its readers in JSON and CSV; all where absent. */
  seen_by?: readonly Reader[]
  /** Its place in a table of the terminal; absent: it has none. */
  table?: Pick<TableColumn<never>, 'head' | 'right' | 'spare' | 'elastic'>
}

/** The readers that options name. */
export type SeenBy<Options> = Options extends { seen_by: readonly (infer Named)[] } ? Named : Reader

interface ColumnBase<Row> {
  seen_by?: readonly Reader[] | undefined
  /** Its fields of a row in JSON. @param name of the column */
  json(name: string, row: Row, reader: Reader): Record<string, unknown>
  /** The schemas of these fields. */
  fields(name: string): TProperties
  /** Its cells in CSV, by their names there. */
  csv(name: string): Readonly<Record<string, (row: Row, reader: Reader) => Cell>>
  table_column: TableColumn<Row> | undefined
}

/** A value, under the column's own name. */
export interface ValueColumn<Row, Schema extends TSchema, Seen = Reader> extends ColumnBase<Row> {
  kind: 'value'
  schema: Schema
  seen?: Seen
}

/** A time, as `<name>_at` and `<name>_at_ms`; in CSV `<name>_utc`. */
export interface TimeColumn<Row> extends ColumnBase<Row> {
  kind: 'time'
}

/** An amount, as `<name>_nanos` and `<name>_usd`; in CSV `<name>_usd`. */
export interface MoneyColumn<Row, Amount extends Nanos | null, Seen = Reader> extends ColumnBase<Row> {
  kind: 'money'
  amount?: Amount
  seen?: Seen
}

/** A column of the terminal alone, which puts several values into one. */
export interface TableOnlyColumn<Row> extends ColumnBase<Row> {
  kind: 'table'
}

export type Column<Row> =
  | ValueColumn<Row, TSchema, Reader>
  | TimeColumn<Row>
  | MoneyColumn<Row, Nanos | null, Reader>
  | TableOnlyColumn<Row>

/** The columns of any list. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>

/** A schema for readers of whom some see it. */
type Visible<Schema extends TSchema, Readers, Seen> = [Readers] extends [Seen]
  ? Schema
  : [Extract<Readers, Seen>] extends [never]
    ? never
    : TOptional<Schema>

type SchemaOf<Each, Readers> =
  Each extends ValueColumn<never, infer Schema, infer Seen> ? Visible<Schema, Readers, Seen> : never

type AmountOf<Each, Readers, Schema extends TSchema> =
  Each extends MoneyColumn<never, infer Amount, infer Seen>
    ? Visible<null extends Amount ? TUnion<[Schema, TNull]> : Schema, Readers, Seen>
    : never

/** The schemas of the fields that readers get in JSON: optional for a column that some of them get. */
export type FieldsOf<C, Readers extends Reader> = {
  [Name in keyof C as SchemaOf<C[Name], Readers> extends never ? never : Name]: SchemaOf<C[Name], Readers>
} & {
  [Name in keyof C & string as C[Name] extends TimeColumn<never> ? `${Name}_at_ms` : never]: TInteger
} & {
  [Name in keyof C & string as C[Name] extends TimeColumn<never> ? `${Name}_at` : never]: TString
} & {
  [Name in keyof C & string as AmountOf<C[Name], Readers, TInteger> extends never
    ? never
    : `${Name}_nanos`]: AmountOf<C[Name], Readers, TInteger>
} & {
  [Name in keyof C & string as AmountOf<C[Name], Readers, TString> extends never
    ? never
    : `${Name}_usd`]: AmountOf<C[Name], Readers, TString>
}
