// Columns of amounts and counts, with their sum in a table's last line. Pure.

import { formatUsd, type Nanos } from '../../domain/money.ts'
import type { Column } from '../command-line/table.ts'

export const sumOf =
  <Row>(amount: (row: Row) => number) =>
  (rows: readonly Row[]): number =>
    rows.reduce((sum, row) => sum + amount(row), 0)

export const countColumn = <Row>(
  head: string,
  of: (row: Row) => number,
  others: Partial<Column<Row>> = {},
): Column<Row> => ({
  head,
  text: (row) => String(of(row)),
  right: true,
  total: (rows) => String(sumOf(of)(rows)),
  ...others,
})

/** A column of amounts, whose last line is the sum of those that are known. */
export const usdColumn = <Row>(
  head: string,
  amount: (row: Row) => Nanos | null,
  others: Partial<Column<Row>> = {},
): Column<Row> => ({
  head,
  text: (row) => knownText(amount(row)),
  right: true,
  total: (rows) => {
    const known = rows.flatMap((row) => amount(row) ?? [])
    return knownText(known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0))
  },
  ...others,
})

const knownText = (nanos: Nanos | null): string => (nanos === null ? '-' : formatUsd(nanos))
