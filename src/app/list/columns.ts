// The columns of a list: each describes a value once, for JSON, CSV and the terminal's table.
import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import type { Nanos } from '../../domain/money.ts'
import { type Cell, type CsvColumns, csvTime, csvUsd } from '../../http/csv.ts'
import { Nullable } from '../../http/schema.ts'
import {
  MoneyFields,
  money as moneyView,
  NullableMoneyFields,
  NullableTimeFields,
  TimeFields,
  time as timeView,
} from '../../http/views.ts'
import { type Column as TableColumn, usdColumn } from '../command-line/table.ts'
import { timeColumn } from '../command-line/times.ts'
import type {
  Column,
  ColumnOptions,
  Columns,
  Ends,
  OneFormColumn,
  PairColumn,
  Reader,
  SeenBy,
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
  const { description, seen_by, table, command, csv_name }: ColumnOptions = options ?? {}
  const described = description === undefined ? schema : { ...schema, description }
  return {
    kind: 'value',
    schema,
    seen_by,
    command,
    fields: (name) => ({ [name]: described }),
    json: (name, row, reader) => ({ [name]: value(row, readerIn(seen_by, reader)) }),
    csv: (name) =>
      csv_name === false ? {} : { [csv_name ?? name]: (row, reader) => cellOf(value(row, reader)) },
    table_column: table && { ...table, text: (row) => textOf(value(row, 'operator')) },
  }
}

/** A command reads as the operator, unless the column names commands. */
const readerIn = (seen_by: readonly Reader[] | undefined, reader: Reader): Reader =>
  reader === 'command' && !seen_by?.includes('command') ? 'operator' : reader

function cellOf(value: Value): Cell {
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return value.join(' ')
  return value !== null && typeof value === 'object' ? JSON.stringify(value) : value
}

const textOf = (value: Value): string => (value === null ? '-' : String(cellOf(value)))

type Reading<Row, Result> = (row: Row, reader: Reader) => Result

/** A column of one of several words. @param schema the union of the words */
export const word = <Row, Schema extends TSchema, const Options extends ColumnOptions = Record<never, never>>(
  schema: Schema,
  value: Reading<Row, Static<Schema> & Value>,
  options?: Options,
) => valueColumn(schema, value, options)

const columnWith =
  <Schema extends TSchema>(schema: Schema) =>
  <Row, const Options extends ColumnOptions = Record<never, never>>(
    value: Reading<Row, Static<Schema> & Value>,
    options?: Options,
  ) =>
    valueColumn(schema, value, options)

export const text = columnWith(Type.String())
export const nullableText = columnWith(Nullable(Type.String()))
/** A column of a person's account. */
export const accountOrStaff = nullableText(({ account }: { account: string | null }) => account, {
  description: 'null: staff',
  table: { head: 'ACCOUNT' },
})
export const integer = columnWith(Type.Integer())
export const nullableInteger = columnWith(Nullable(Type.Integer()))
export const boolean = columnWith(Type.Boolean())
/** A column of objects whose fields differ by row, or null. */
export const nullableFields = columnWith(Nullable(Type.Record(Type.String(), Type.Unknown())))

interface PairOptions extends Omit<ColumnOptions, 'table'> {
  table?: { head: string }
}

/** `with_nanos` adds `<name>_nanos` to CSV. In the table the column has a sum. */
interface MoneyOptions extends PairOptions {
  with_nanos?: boolean
}

function pairColumn<Row, Kind extends keyof Ends, Exact extends number | null, Options extends PairOptions>(
  options: Options | undefined,
  of: Pick<PairColumn<Row, Kind>, 'kind' | 'json' | 'csv' | 'table_column'> & {
    fields(name: string, description?: string): TProperties
  },
): PairColumn<Row, Kind, Exact, SeenBy<Options>> {
  const { kind, json, csv, table_column } = of
  const { description, seen_by, command, csv_name }: PairOptions = options ?? {}
  const fields = (name: string) => of.fields(name, description)
  return { kind, seen_by, command, fields, json, csv: csv_name === false ? () => ({}) : csv, table_column }
}

function moneyColumn<Row, Amount extends Nanos | null, Options extends MoneyOptions>(
  value: Reading<Row, Amount>,
  options: Options | undefined,
  fields: (name: string, description?: string) => TProperties,
): PairColumn<Row, 'money', Amount, SeenBy<Options>> {
  const { with_nanos = false, csv_name, table }: MoneyOptions = options ?? {}
  return pairColumn(options, {
    kind: 'money',
    fields,
    json: (name, row, reader) => moneyView(name, value(row, readerIn(options?.seen_by, reader))),
    csv: (name) => ({
      [csv_name || `${name}_usd`]: (row, reader) => csvUsd(value(row, reader)),
      ...(with_nanos && { [`${name}_nanos`]: value }),
    }),
    table_column: table && usdColumn(table.head, (row) => value(row, 'operator')),
  })
}

export const money = <Row, const Options extends MoneyOptions = Record<never, never>>(
  value: Reading<Row, Nanos>,
  options?: Options,
) => moneyColumn(value, options, MoneyFields)

/** An amount that may be unknown. */
export const nullableMoney = <Row, const Options extends MoneyOptions = Record<never, never>>(
  value: Reading<Row, Nanos | null>,
  options?: Options,
) => moneyColumn(value, options, NullableMoneyFields)

function timeOf<Row, Ms extends number | null, Options extends PairOptions>(
  value: (row: Row) => Ms,
  options: Options | undefined,
  fields: (name: string, description?: string) => TProperties,
  table_column?: TableColumn<Row>,
): PairColumn<Row, 'time', Ms, SeenBy<Options>> {
  const { csv_name }: PairOptions = options ?? {}
  return pairColumn(options, {
    kind: 'time',
    fields,
    json: (name, row) => timeView(name, value(row)),
    csv: (name) => ({ [csv_name || `${name}_utc`]: (row) => csvTime(value(row)) }),
    table_column,
  })
}

export const time = <Row, const Options extends PairOptions = Record<never, never>>(
  value: (row: Row) => number,
  options?: Options,
) => timeOf(value, options, TimeFields, options?.table && timeColumn(options.table.head, value))

/** A time that may be unknown, or not there yet. */
export const nullableTime = <Row, const Options extends Omit<PairOptions, 'table'> = Record<never, never>>(
  value: (row: Row) => number | null,
  options?: Options,
) => timeOf(value, options, NullableTimeFields)

const NOWHERE = { fields: () => ({}), json: () => ({}), csv: () => ({}), table_column: undefined }

/** A column of the terminal's table only. */
export const tableOnly = <Row>(table_column: TableColumn<Row>): OneFormColumn<Row> => ({
  ...NOWHERE,
  kind: 'table',
  table_column,
})

/** A column of CSV only. */
export const csvOnly = <Row>(
  csv_name: string,
  cell: (row: Row, reader: Reader) => Cell,
): OneFormColumn<Row> => ({
  ...NOWHERE,
  kind: 'csv',
  csv: () => ({ [csv_name]: cell }),
})

const isSeenBy = <Row>({ seen_by, command }: Column<Row>, reader: Reader): boolean =>
  (reader !== 'command' || command !== false) && (seen_by?.includes(readerIn(seen_by, reader)) ?? true)

/** Returns the schemas of a row for a set of readers: optional if only some of them see the column. */
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

/** Returns a row as JSON for a reader. */
export const rowFor = <Row>(columns: Columns<Row>, reader: Reader, row: Row): Record<string, unknown> =>
  Object.assign({}, ...columnsFor(columns, reader).map(([name, column]) => column.json(name, row, reader)))

/** Returns the CSV columns for a reader. @param names of the columns in their order; all if absent */
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

/** Returns the columns of the terminal's table, in their order. */
export const tableColumnsOf = <Row>(columns: Columns<Row>): TableColumn<Row>[] =>
  Object.values(columns).flatMap(({ table_column }) => table_column ?? [])
