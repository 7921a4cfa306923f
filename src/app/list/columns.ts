// The columns of a list: each describes a value once, for JSON, for CSV and for a table of the terminal.
import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import type { Nanos } from '../../domain/money.ts'
import { type Cell, type CsvColumns, csvTime, csvUsd } from '../../http/csv.ts'
import { Nullable } from '../../http/schema.ts'
import {
  MoneyFields,
  money as moneyView,
  NullableMoneyFields,
  TimeFields,
  time as timeView,
} from '../../http/views.ts'
import type { Column as TableColumn } from '../command-line/table.ts'
import { timeColumn } from '../command-line/times.ts'
import type {
  Column,
  ColumnOptions,
  Columns,
  MoneyColumn,
  Reader,
  SeenBy,
  TableOnlyColumn,
  TimeColumn,
  Value,
  ValueColumn,
} from './column-types.ts'

export type { Columns, FieldsOf, Reader } from './column-types.ts'

/** Columns that several lists share. Curried as `defineList` is. */
export const columnsOf =
  <Row>() =>
  <const C extends Columns<Row>>(columns: C): C =>
    columns

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
    json: (name, row, reader) => ({ [name]: value(row, readerIn(seen_by, reader)) }),
    csv: (name) => ({ [name]: (row, reader) => cellOf(value(row, reader)) }),
    table_column: table && { ...table, text: (row) => textOf(value(row, 'operator')) },
  }
}

/** A column that does not name commands gives them what the operator gets. */
const readerIn = (seen_by: readonly Reader[] | undefined, reader: Reader): Reader =>
  reader === 'command' && !seen_by?.includes('command') ? 'operator' : reader

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

export const boolean = <Row, const Options extends ColumnOptions = Record<never, never>>(
  value: Reading<Row, boolean>,
  options?: Options,
) => valueColumn(Type.Boolean(), value, options)

export const nullableInteger = <Row, const Options extends ColumnOptions = Record<never, never>>(
  value: Reading<Row, number | null>,
  options?: Options,
) => valueColumn(Nullable(Type.Integer()), value, options)

/** An object with other fields in each row, or null. */
export const nullableFields = <Row, const Options extends ColumnOptions = Record<never, never>>(
  value: Reading<Row, Record<string, unknown> | null>,
  options?: Options,
) => valueColumn(Nullable(Type.Record(Type.String(), Type.Unknown())), value, options)

/** An amount. `with_nanos`: in CSV with `<name>_nanos`, too. */
export const money = <Row, const Options extends MoneyOptions = Record<never, never>>(
  value: Reading<Row, Nanos>,
  options?: Options,
): MoneyColumn<Row, Nanos, SeenBy<Options>> => moneyColumn(value, options, MoneyFields)

/** An amount that may be unknown. */
export const nullableMoney = <Row, const Options extends MoneyOptions = Record<never, never>>(
  value: Reading<Row, Nanos | null>,
  options?: Options,
): MoneyColumn<Row, Nanos | null, SeenBy<Options>> => moneyColumn(value, options, NullableMoneyFields)

interface MoneyOptions extends Omit<ColumnOptions, 'table'> {
  with_nanos?: boolean
}

function moneyColumn<Row, Amount extends Nanos | null, Options extends MoneyOptions>(
  value: Reading<Row, Amount>,
  options: Options | undefined,
  fieldsOf: (name: string, description?: string) => TProperties,
): MoneyColumn<Row, Amount, SeenBy<Options>> {
  const { description, seen_by, with_nanos = false }: MoneyOptions = options ?? {}
  return {
    kind: 'money',
    seen_by,
    fields: (name) => fieldsOf(name, description),
    json: (name, row, reader) => moneyView(name, value(row, readerIn(seen_by, reader))),
    csv: (name) => ({
      [`${name}_usd`]: (row, reader) => csvUsd(value(row, reader)),
      ...(with_nanos && { [`${name}_nanos`]: value }),
    }),
    table_column: undefined,
  }
}

/** A time, for all readers. */
export const time = <Row>(
  value: (row: Row) => number,
  {
    description,
    table,
    csv_name,
  }: { description?: string; table?: { head: string }; csv_name?: string } = {},
): TimeColumn<Row> => ({
  kind: 'time',
  fields: (name) => TimeFields(name, description),
  json: (name, row) => timeView(name, value(row)),
  csv: (name) => ({ [csv_name ?? `${name}_utc`]: (row) => csvTime(value(row)) }),
  table_column: table && timeColumn(table.head, value),
})

/** A column of the terminal alone. */
export const tableOnly = <Row>(column: TableColumn<Row>): TableOnlyColumn<Row> => ({
  kind: 'table',
  fields: () => ({}),
  json: () => ({}),
  csv: () => ({}),
  table_column: column,
})

const isSeenBy = <Row>({ seen_by }: Column<Row>, reader: Reader): boolean =>
  seen_by?.includes(readerIn(seen_by, reader)) ?? true

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

/** The columns of CSV for a reader. @param names of the columns in their order; all where absent */
export function csvFor<Row>(
  columns: Columns<Row>,
  reader: Reader,
  names?: readonly string[],
): CsvColumns<Row> {
  const visible = new Map(columnsFor(columns, reader))
  return Object.fromEntries(
    (names ?? [...visible.keys()]).flatMap((name) =>
      Object.entries(visible.get(name)?.csv(name) ?? {}).map(([head, cell]) => [
        head,
        (row: Row) => cell(row, reader),
      ]),
    ),
  )
}

/** The columns of a table of the terminal, in their order. */
export const tableColumnsOf = <Row>(columns: Columns<Row>): TableColumn<Row>[] =>
  Object.values(columns).flatMap(({ table_column }) => table_column ?? [])
