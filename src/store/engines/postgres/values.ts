// Values on their way to PostgreSQL and back: those that SQLite would give, or an error.

/** A value as it is sent. PostgreSQL takes a text for any type, so a number finds the index of its column. */
export type Sent = string | Uint8Array | null

/** The identity of a column in an answer. */
export interface Column {
  readonly name: string
  /** The OID of its type. */
  readonly type: number
}

/** pg_type.dat: bool, int8, numeric. */
const [BOOLEAN, INT8, NUMERIC] = [16, 20, 1700]

/** PostgreSQL stores no NUL in a text, so that � is in its place: what callers write, as in a prompt, may have one. */
export const storableText = (text: string): string => text.replaceAll('\0', '\uFFFD')

/** Rows as the JSON of a parameter, with texts that can be stored. */
export function jsonOf(rows: readonly object[]): string {
  const json = JSON.stringify(rows)
  return UNSTORABLE.test(json) ? JSON.stringify(rows, storable) : json
}

/** How JSON has a NUL, and a half of a surrogate pair, which stands for nothing by itself. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/

const storable = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? storableText(value.toWellFormed()) : value

/** @throws Error for what no column holds, and for an integer that is not exact */
export function sentOf(value: unknown): Sent {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return storableText(value)
  if (value instanceof Uint8Array) return value
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'number' && Number.isFinite(value)) return exact(value).toString()
  throw new Error(`A ${typeof value} cannot be stored.`)
}

/** The rows of an answer as SQLite has them: all numbers are numbers, and what is true is 1. @throws Error where an integer is not exact, unless it is a sum */
export function rowsOf(rows: readonly unknown[][], columns: readonly Column[]): unknown[][] {
  const conversions = columns.flatMap(({ type }, at) => {
    const conversion = CONVERSIONS[type]
    return conversion ? [{ at, conversion }] : []
  })
  if (conversions.length === 0) return rows as unknown[][]
  return rows.map((row) => {
    const converted = [...row]
    for (const { at, conversion } of conversions) if (row[at] !== null) converted[at] = conversion(row[at])
    return converted
  })
}

const CONVERSIONS: Readonly<Record<number, (value: unknown) => number>> = {
  [BOOLEAN]: (value) => (value ? 1 : 0),
  [INT8]: (value) => exact(Number(value)),
  // A sum of integers: beyond the exact ones it is the nearest, as on SQLite. All accounts together may have more than one of them can.
  [NUMERIC]: Number,
}

function exact(value: number): number {
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RangeError('A number is beyond the integers that are exact.')
  return value
}
