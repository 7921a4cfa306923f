// The columns of a list: each describes a value once, for JSON, for CSV and for a table of the terminal.
import {
  type Static,
  type TInteger,
  type TOptional,
  type TProperties,
  type TSchema,
  type TString,
  Type,
} from '@sinclair/typebox'
import type { Viewer } from '../../access/viewer.ts'
import { type Cell, type CsvColumns, csvTime } from '../../http/csv.ts'
import { Nullable } from '../../http/schema.ts'
import { TimeFields, time as timeView } from '../../http/views.ts'
import type { Column as TableColumn } from '../command-line/table.ts'
import { timeColumn } from '../command-line/times.ts'

/** A reader of lists: a viewer of the console by their role, or a caller with an API key. */
export type Reader = Viewer['role'] | 'caller'

type Value = string | number | boolean | null | Record<string, unknown>

export interface ColumnOptions {
  /** For the reference of the API. */
  description?: string
  /** Its readers in JSON and CSV; all where absent. */
  seen_by?: readonly Reader[]
  /** Its place in a table of the terminal; absent: it has none. */
  table?: Pick<TableColumn<never>, 'head' | 'right' | 'spare' | 'elastic'>
}

/** The readers that options name. */
type SeenBy<Options> = Options extends { seen_by: readonly (infer Named)[] } ? Named : Reader

interface ColumnBase<Row> {
  seen_by?: readonly Reader[] | undefined
  /** Its fields of a row in JSON. @param name of the column */
  json(name: string, row: Row, reader: Reader): Record<string, unknown>
  /** The schemas of these fields. */
  fields(name: string): TProperties
  /** Its name and cell in CSV; undefined where it has none. */
  csv: { name(name: string): string; cell(row: Row, reader: Reader): Cell } | undefined
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

/** A column of the terminal alone, which puts several values into one. */
export interface TableOnlyColumn<Row> extends ColumnBase<Row> {
  kind: 'table'
}

export type Column<Row> = ValueColumn<Row, TSchema, Reader> | TimeColumn<Row> | TableOnlyColumn<Row>

/** The columns of any list. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>

type SchemaOf<Each, Readers> =
  Each extends ValueColumn<never, infer Schema, infer Seen>
    ? [Readers] extends [Seen]
      ? Schema
      : [Extract<Readers, Seen>] extends [never]
        ? never
        : TOptional<Schema>
    : never

/** The schemas of the fields that readers get in JSON: optional for a column that some of them get. */
export type FieldsOf<C, Readers extends Reader> = {
  [Name in keyof C as SchemaOf<C[Name], Readers> extends never ? never : Name]: SchemaOf<C[Name], Readers>
} & {
  [Name in keyof C & string as C[Name] extends TimeColumn<never> ? `${Name}_at_ms` : never]: TInteger
} & {
  [Name in keyof C & string as C[Name] extends TimeColumn<never> ? `${Name}_at` : never]: TString
}

function valueColumn<Row, Schema extends TSchema, const Options extends ColumnOptions>(
  schema: Schema,
  value: (row: Row, reader: Reader) => Static<Schema> & Value,
  options?: Options,
): ValueColumn<Row, Schema, SeenBy<Options>> {
  const { description, seen_by, table }: ColumnOptions = options ?? {}
  const described = description === undefined ? schema : { ...schema, description }
  return {
    kind: 'value',
    schema,
    seen_by,
    fields: (name) => ({ [name]: described }),
    json: (name, row, reader) => ({ [name]: value(row, reader) }),
    csv: { name: (name) => name, cell: (row, reader) => cellOf(value(row, reader)) },
    table_column: table && { ...table, text: (row) => textOf(value(row, 'operator')) },
  }
}

function cellOf(value: Value): Cell {
  if (typeof value === 'boolean') return String(value)
  return value !== null && typeof value === 'object' ? JSON.stringify(value) : value
}

const textOf = (value: Value): string => (value === null ? '-' : String(cellOf(value)))

type Reading<Row, Result> = (row: Row, reader: Reader) => Result

export const text = <Row, const Options extends ColumnOptions = Record<never, never>>(
  value: Reading<Row, string>,
  options?: Options,
) => valueColumn(Type.String(), value, options)

export const nullableText = <Row, const Options extends ColumnOptions = Record<never, never>>(
  value: Reading<Row, string | null>,
  options?: Options,
) => valueColumn(Nullable(Type.String()), value, options)

/** One of several words. @param schema of these words */
export const word = <Row, Schema extends TSchema, const Options extends ColumnOptions = Record<never, never>>(
  schema: Schema,
  value: Reading<Row, Static<Schema> & Value>,
  options?: Options,
) => valueColumn(schema, value, options)

export const integer = <Row, const Options extends ColumnOptions = Record<never, never>>(
  value: Reading<Row, number>,
  options?: Options,
) => valueColumn(Type.Integer(), value, options)

export const nullableInteger = <Row, const Options extends ColumnOptions = Record<never, never>>(
  value: Reading<Row, number | null>,
  options?: Options,
) => valueColumn(Nullable(Type.Integer()), value, options)

/** An object with other fields in each row, or null. */
export const nullableFields = <Row, const Options extends ColumnOptions = Record<never, never>>(
  value: Reading<Row, Record<string, unknown> | null>,
  options?: Options,
) => valueColumn(Nullable(Type.Record(Type.String(), Type.Unknown())), value, options)

/** A time, for all readers. */
export const time = <Row>(
  value: (row: Row) => number,
  { description, table }: { description?: string; table?: { head: string } } = {},
): TimeColumn<Row> => ({
  kind: 'time',
  fields: (name) => TimeFields(name, description),
  json: (name, row) => timeView(name, value(row)),
  csv: { name: (name) => `${name}_utc`, cell: (row) => csvTime(value(row)) },
  table_column: table && timeColumn(table.head, value),
})

/** A column of the terminal alone. */
export const tableOnly = <Row>(column: TableColumn<Row>): TableOnlyColumn<Row> => ({
  kind: 'table',
  fields: () => ({}),
  json: () => ({}),
  csv: undefined,
  table_column: column,
})

const isSeenBy = <Row>({ seen_by }: Column<Row>, reader: Reader): boolean => seen_by?.includes(reader) ?? true

/** The schemas of a row for readers: optional for a column that some of them get. */
export const fieldsFor = <Row>(columns: Columns<Row>, readers: readonly Reader[]): TProperties =>
  Object.assign(
    {},
    ...Object.entries(columns).map(([name, column]) => {
      const fields = column.fields(name)
      if (readers.every((reader) => isSeenBy(column, reader))) return fields
      if (!readers.some((reader) => isSeenBy(column, reader))) return {}
      return Object.fromEntries(
        Object.entries(fields).map(([field, schema]) => [field, Type.Optional(schema)]),
      )
    }),
  )

const columnsFor = <Row>(columns: Columns<Row>, reader: Reader): [name: string, column: Column<Row>][] =>
  Object.entries(columns).filter(([, column]) => isSeenBy(column, reader))

/** A row in JSON for a reader. */
export const rowFor = <Row>(columns: Columns<Row>, reader: Reader, row: Row): Record<string, unknown> =>
  Object.assign({}, ...columnsFor(columns, reader).map(([name, column]) => column.json(name, row, reader)))

/** The columns of CSV for a reader. */
export const csvFor = <Row>(columns: Columns<Row>, reader: Reader): CsvColumns<Row> =>
  Object.fromEntries(
    columnsFor(columns, reader).flatMap(([name, { csv }]) =>
      csv ? [[csv.name(name), (row: Row) => csv.cell(row, reader)]] : [],
    ),
  )

/** The columns of a table of the terminal, in their order. */
export const tableColumnsOf = <Row>(columns: Columns<Row>): TableColumn<Row>[] =>
  Object.values(columns).flatMap(({ table_column }) => table_column ?? [])
