// Conversion of values for PostgreSQL and back: results are equal to SQLite's, or an error.

/** A value as sent. PostgreSQL converts a text to any type, so a number still uses its column's index. */
export type Sent = string | Uint8Array | null

/** A column in an answer. */
export interface Column {
  readonly name: string
  /** The OID of its type. */
  readonly type: number
}

/** pg_type.dat: bool, int8, numeric. */
const [BOOLEAN, INT8, NUMERIC] = [16, 20, 1700]

/** Replaces NUL by �, since PostgreSQL stores no NUL in a text, and callers' texts, such as prompts, may contain one. */
export const storableText = (text: string): string => text.replaceAll('\0', '\uFFFD')

/** Returns rows as the JSON of a parameter, with texts that can be stored. */
export function jsonOf(rows: readonly object[]): string {
  const json = JSON.stringify(rows)
  return UNSTORABLE.test(json) ? JSON.stringify(rows, storable) : json
}

/** NUL, and an unpaired surrogate, which is not a character, as JSON escapes. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/

const storable = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? storableText(value.toWellFormed()) : value

/** @throws Error for a value that no column holds, and for an integer that is not exact */
export function sentOf(value: unknown): Sent {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return storableText(value)
  if (value instanceof Uint8Array) return value
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'number' && Number.isFinite(value)) return exact(value).toString()
  throw new Error(`A ${typeof value} cannot be stored.`)
}

/** Converts rows to SQLite's form: numeric types become numbers, true becomes 1. @throws Error if an integer is not exact, unless it is a sum */
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
  // A sum of integers. Beyond the safe integers it is the nearest number, as on SQLite: a total over all accounts may be that large.
  [NUMERIC]: Number,
}

function exact(value: number): number {
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RangeError('A number is beyond the integers that are exact.')
  return value
}
