// Values of columns as three engines give them: numbers, text, flags that are numbers or booleans, JSON in text.
import { jsonIn } from '../source/json.ts'
import type { SourceRow } from '../source/rows.ts'

/** Trimmed: PostgreSQL pads `char(48)`. Empty for null and absent columns. */
export const textOf = (row: SourceRow, column: string): string => {
  const value = row[column]
  if (value instanceof Uint8Array) return new TextDecoder().decode(value).trim()
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return value === null || value === undefined ? '' : String(value).trim()
}

/** A whole number; 0 for null and absent columns, and for what is none. */
export function wholeOf(row: SourceRow, column: string): number {
  const value = Number(row[column] ?? 0)
  return Number.isSafeInteger(value) ? value : 0
}

/** A flag as a number, a boolean, a bit or text. */
export function flagOf(row: SourceRow, column: string): boolean {
  const value = row[column]
  if (value instanceof Uint8Array) return value.some((byte) => byte > 0)
  return value === true || Number(value) === 1 || /^(?:t|true)$/i.test(String(value))
}

/** Whether a moment is there: of a row that is deleted, say. */
export const isSet = (value: unknown): boolean => value !== null && value !== undefined

/** The parts of a list, without empty ones. */
export const partsOf = (text: string, separator: string | RegExp): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')

export type Fields = Readonly<Record<string, unknown>>

/** The object in a JSON text; undefined for every other text. */
export function objectIn(text: string): Fields | undefined {
  const value = jsonIn(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}
