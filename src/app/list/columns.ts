// The columns of a list: each says what it is once, for JSON, for CSV and for a table of the terminal.
import {
  type Static,
  type TInteger,
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

/** Who reads a list: a viewer of the console by their role, or a caller with an API key. */
export type Reader = Viewer['role'] | 'caller'

type Value = string | number | boolean | null | Record<string, unknown>

export interface ColumnOptions {
  /** For the reference of the API. */
  description?: string
  /** Those who get it in JSON and CSV; all where absent. */
  seen_by?: readonly Reader[]
  /** Its place in a table of the terminal; absent: it has none. */
  table?: Pick<TableColumn<never>, 'head' | 'right' | 'spare' | 'elastic'>
}

interface ColumnBase<Row> extends ColumnOptions {
  /** @returns its fields of a row in JSON, by the name of the column */
  json(name: string, row: Row, reader: Reader): Record<string, unknown>
  fields(name: string): TProperties
  /** Its name and cell in CSV; undefined where it has none. */
  csv: { name(name: string): string; cell(row: Row, reader: Reader): Cell } | undefined
  tableColumn: TableColumn<Row> | undefined
}

/** A value, under the column's own name. */
export interface ValueColumn<Row, Schema extends TSchema> extends ColumnBase<Row> {
  kind: 'value'
  schema: Schema
}

/** A time, as `<name>_at` and `<name>_at_ms`; in CSV `<name>_utc`. */
export interface TimeColumn<Row> extends ColumnBase<Row> {
  kind: 'time'
}

/** A column of the terminal alone, which puts others into one. */
export interface TableOnlyColumn<Row> extends ColumnBase<Row> {
  kind: 'table'
}

export type Column<Row, Schema extends TSchema = TSchema> =
  | ValueColumn<Row, Schema>
  | TimeColumn<Row>
  | TableOnlyColumn<Row>

/** The schemas of all fields that columns have in JSON. */
export type FieldsOf<Columns> = {
  [Name in keyof Columns as Columns[Name] extends ValueColumn<never, TSchema>
    ? Name
    : never]: Columns[Name] extends ValueColumn<never, infer Schema> ? Schema : never
} & {
  [Name in keyof Columns & string as Columns[Name] extends TimeColumn<never>
    ? `${Name}_at_ms`
    : never]: TInteger
} & {
  [Name in keyof Columns & string as Columns[Name] extends TimeColumn<never> ? `${Name}_at` : never]: TString
}

function valueColumn<Row, Schema extends TSchema>(
  schema: Schema,
  value: (row: Row, reader: Reader) => Static<Schema> & Value,
  options: ColumnOptions,
): ValueColumn<Row, Schema> {
  const described =
    options.description === undefined ? schema : { ...schema, description: options.description }
  return {
    ...options,
    kind: 'value',
    schema,
    fields: (name) => ({ [name]: described }),
    json: (name, row, reader) => ({ [name]: value(row, reader) }),
    csv: { name: (name) => name, cell: (row, reader) => cellOf(value(row, reader)) },
    tableColumn: options.table && { ...options.table, text: (row) => textOf(value(row, 'operator')) },
  }
}

const cellOf = (value: Value): Cell =>
  typeof value === 'boolean'
    ? String(value)
    : value !== null && typeof value === 'object'
      ? JSON.stringify(value)
      : value

const textOf = (value: Value): string => (value === null ? '-' : String(cellOf(value)))

export const text = <Row>(value: (row: Row, reader: Reader) => string, options: ColumnOptions = {}) =>
  valueColumn(Type.String(), value, options)

export const nullableText = <Row>(
  value: (row: Row, reader: Reader) => string | null,
  options: ColumnOptions = {},
) => valueColumn(Nullable(Type.String()), value, options)

/** One of several words. @param schema of these words */
export const word = <Row, Schema extends TSchema>(
  schema: Schema,
  value: (row: Row, reader: Reader) => Static<Schema> & Value,
  options: ColumnOptions = {},
) => valueColumn(schema, value, options)

export const integer = <Row>(value: (row: Row, reader: Reader) => number, options: ColumnOptions = {}) =>
  valueColumn(Type.Integer(), value, options)

export const nullableInteger = <Row>(
  value: (row: Row, reader: Reader) => number | null,
  options: ColumnOptions = {},
) => valueColumn(Nullable(Type.Integer()), value, options)

/** Fields by their names, which differ from row to row; null where there are none. */
export const nullableFields = <Row>(
  value: (row: Row, reader: Reader) => Record<string, unknown> | null,
  options: ColumnOptions = {},
) => valueColumn(Nullable(Type.Record(Type.String(), Type.Unknown())), value, options)

export const time = <Row>(
  value: (row: Row) => number,
  { table, ...options }: Omit<ColumnOptions, 'table'> & { table?: { head: string } } = {},
): TimeColumn<Row> => ({
  ...options,
  kind: 'time',
  fields: (name) => TimeFields(name, options.description),
  json: (name, row) => timeView(name, value(row)),
  csv: { name: (name) => `${name}_utc`, cell: (row) => csvTime(value(row)) },
  tableColumn: table && timeColumn(table.head, value),
})

/** A column of the terminal alone. */
export const tableOnly = <Row>(column: TableColumn<Row>): TableOnlyColumn<Row> => ({
  kind: 'table',
  fields: () => ({}),
  json: () => ({}),
  csv: undefined,
  tableColumn: column,
})

/** The columns of any list. */
export type Columns<Row> = Readonly<Record<string, Column<Row, TSchema>>>

const seenBy = <Row>(columns: Columns<Row>, reader: Reader): [name: string, column: Column<Row>][] =>
  Object.entries(columns).filter(([, { seen_by }]) => seen_by?.includes(reader) ?? true)

/** The schemas of a row for a reader. */
export const fieldsFor = <Row>(columns: Columns<Row>, reader: Reader): TProperties =>
  Object.assign({}, ...seenBy(columns, reader).map(([name, column]) => column.fields(name)))

/** A row in JSON for a reader. */
export const rowFor = <Row>(columns: Columns<Row>, reader: Reader, row: Row): Record<string, unknown> =>
  Object.assign({}, ...seenBy(columns, reader).map(([name, column]) => column.json(name, row, reader)))

/** The columns of CSV for a reader. */
export const csvFor = <Row>(columns: Columns<Row>, reader: Reader): CsvColumns<Row> =>
  Object.fromEntries(
    seenBy(columns, reader).flatMap(([name, { csv }]) =>
      csv ? [[csv.name(name), (row: Row) => csv.cell(row, reader)]] : [],
    ),
  )

/** The columns of a table of the terminal, in their order. */
export const tableColumnsOf = <Row>(columns: Columns<Row>): TableColumn<Row>[] =>
  Object.values(columns).flatMap(({ tableColumn }) => tableColumn ?? [])
