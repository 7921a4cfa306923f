// Readers for columns as three engines return them: numbers, texts, flags as numbers or booleans, JSON texts.
import { parseSourceJson } from '../source/json.ts'
import type { SourceRow } from '../source/rows.ts'

/** Returns trimmed text: PostgreSQL pads `char(48)`. Empty for null and absent columns. */
export const textOf = (row: SourceRow, column: string): string => {
  const value = row[column]
  if (value instanceof Uint8Array) return new TextDecoder().decode(value).trim()
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return value === null || value === undefined ? '' : String(value).trim()
}

/** Returns a whole number; 0 for null, absent and other values. */
export function wholeOf(row: SourceRow, column: string): number {
  const value = Number(row[column] ?? 0)
  return Number.isSafeInteger(value) ? value : 0
}

/** Reads a flag stored as a number, boolean, bit or text. */
export function flagOf(row: SourceRow, column: string): boolean {
  const value = row[column]
  if (value instanceof Uint8Array) return value.some((byte) => byte > 0)
  return value === true || Number(value) === 1 || /^(?:t|true)$/i.test(String(value))
}

/** Whether a column has a value, such as the time of deletion. */
export const isSet = (value: unknown): boolean => value !== null && value !== undefined

/** Splits a list. Omits empty parts. */
export const partsOf = (text: string, separator: string | RegExp): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')

export type Fields = Readonly<Record<string, unknown>>

/** Parses a JSON object; undefined for any other text. */
export function parseJsonObject(text: string): Fields | undefined {
  const value = parseSourceJson(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}
