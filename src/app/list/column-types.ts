// The types of a list's columns, and of the JSON fields that each reader gets.
import type { TInteger, TNull, TOptional, TProperties, TSchema, TString, TUnion } from '@sinclair/typebox'
import type { Viewer } from '../../access/viewer.ts'
import type { Cell } from '../../http/csv.ts'
import type { Column as TableColumn } from '../command-line/table.ts'

/**
 * A reader of lists: a console viewer by their side, a caller with an API key, or a command with --json. A command reads as the operator
 * does, except for columns whose `seen_by` names `command`.
 */
export type Reader = Viewer['side'] | 'caller' | 'command'

export type Value = string | number | boolean | null | Record<string, unknown> | readonly unknown[]

export interface ColumnOptions {
  description?: string
  /** The readers that get it in JSON and CSV; all if absent. */
  seen_by?: readonly Reader[]
  /** Omitted from the command's JSON, whose rows lack the value. */
  command?: false
  /** Its name in CSV if it differs; false to leave it out of CSV. */
  csv_name?: string | false
  /** Its column in the terminal's table; none if absent. */
  table?: Pick<TableColumn<never>, 'head' | 'right' | 'spare' | 'elastic'>
}

export type SeenBy<Options> = Options extends { seen_by: readonly (infer Named)[] } ? Named : Reader

interface ColumnBase<Row> {
  seen_by?: readonly Reader[] | undefined
  command?: false | undefined
  /** Returns its JSON fields of a row. @param name of the column */
  json(name: string, row: Row, reader: Reader): Record<string, unknown>
  fields(name: string): TProperties
  /** Returns its CSV cells by their heads. */
  csv(name: string): Readonly<Record<string, (row: Row, reader: Reader) => Cell>>
  table_column: TableColumn<Row> | undefined
}

/** A single value, under the column's name. */
export interface ValueColumn<Row, Schema extends TSchema, Seen = Reader> extends ColumnBase<Row> {
  kind: 'value'
  schema: Schema
  seen?: Seen
}

export interface Ends {
  time: { exact: '_at_ms'; readable: '_at' }
  money: { exact: '_nanos'; readable: '_usd' }
}

/** A time, as `<name>_at_ms` and `<name>_at`, in CSV `<name>_utc`; or an amount, as `<name>_nanos` and `<name>_usd`, in CSV `<name>_usd`. */
export interface PairColumn<
  Row,
  Kind extends keyof Ends = keyof Ends,
  Exact extends number | null = number | null,
  Seen = Reader,
> extends ColumnBase<Row> {
  kind: Kind
  exact?: Exact
  seen?: Seen
}

/** A column of one form only: the terminal's table, where it may combine values, or CSV. */
export interface OneFormColumn<Row> extends ColumnBase<Row> {
  kind: 'table' | 'csv'
}

export type Column<Row> = ValueColumn<Row, TSchema, Reader> | PairColumn<Row> | OneFormColumn<Row>

export type Columns<Row> = Readonly<Record<string, Column<Row>>>

/** The schema for a set of readers: optional if only some of them see the column. */
type Visible<Schema extends TSchema, Readers, Seen> = [Readers] extends [Seen]
  ? Schema
  : [Extract<Readers, Seen>] extends [never]
    ? never
    : TOptional<Schema>

type SchemaOf<Each, Readers> =
  Each extends ValueColumn<never, infer Schema, infer Seen> ? Visible<Schema, Readers, Seen> : never

type PairOf<Each, Part extends 'exact' | 'readable', Readers> =
  Each extends PairColumn<never, infer Kind, infer Exact, infer Seen>
    ? { end: Ends[Kind][Part]; schema: Visible<OrNull<Exact, PartSchema[Part]>, Readers, Seen> }
    : { end: never; schema: never }

interface PartSchema {
  exact: TInteger
  readable: TString
}

type OrNull<Exact, Schema extends TSchema> = null extends Exact ? TUnion<[Schema, TNull]> : Schema

type PairFields<C, Part extends 'exact' | 'readable', Readers> = {
  [Name in keyof C & string as PairOf<C[Name], Part, Readers>['schema'] extends never
    ? never
    : `${Name}${PairOf<C[Name], Part, Readers>['end']}`]: PairOf<C[Name], Part, Readers>['schema']
}

/** The schemas of the JSON fields for a set of readers: optional if only some of them see the column. */
export type FieldsOf<C, Readers extends Reader> = {
  [Name in keyof C as SchemaOf<C[Name], Readers> extends never ? never : Name]: SchemaOf<C[Name], Readers>
} & PairFields<C, 'exact', Readers> &
  PairFields<C, 'readable', Readers>
