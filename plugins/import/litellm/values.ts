// Readers for values of LiteLLM's configuration and rows: a value may be missing, empty or of another type.
import { parseSourceJson } from '../source/json.ts'

export type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns an object; empty for other values. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

/** Returns the elements of a list; none for other values. */
export const elementsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns the trimmed text of a string or number; undefined if empty. */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return undefined
  const text = String(value).trim()
  return text === '' ? undefined : text
}

/** Returns the non-empty texts of a list. */
export const textsOf = (value: unknown): readonly string[] =>
  elementsOf(value).flatMap((each) => textOf(each) ?? [])

/** Returns a whole number above 0; undefined for other values. */
export function countOf(value: unknown): number | undefined {
  const count = Number(textOf(value))
  return Number.isSafeInteger(count) && count > 0 ? count : undefined
}

/** Returns an object, also from JSON text as PostgreSQL may deliver it; empty for other values. */
export const jsonFields = (value: unknown): Fields =>
  fieldsOf(typeof value === 'string' ? parseSourceJson(value) : value)

const ARRAY_ELEMENT = /"((?:[^"\\]|\\.)*)"|([^,{}"]+)/g

/** Returns the strings of a `text[]` column: an array, JSON, or PostgreSQL's `{a,"b c"}`. */
export function columnTexts(value: unknown): readonly string[] {
  if (typeof value !== 'string') return textsOf(value)
  if (value.startsWith('[')) return textsOf(elementsOfJson(value))
  return [...value.matchAll(ARRAY_ELEMENT)].flatMap(([, quoted, bare]) => {
    const text = quoted === undefined ? bare : quoted.replace(/\\(.)/g, '$1')
    return textOf(text) ?? []
  })
}

/** Returns the elements of a list, also from JSON text. */
export const elementsOfJson = (value: unknown): readonly unknown[] =>
  elementsOf(typeof value === 'string' ? parseSourceJson(value) : value)

const HAS_ZONE = /(?:Z|[+-]\d{2}(?::?\d{2})?)$/

/**
 * Reads a row's time. Prisma stores UTC in columns without a time zone.
 *
 * @returns Unix milliseconds; undefined for an empty or invalid value
 */
export function momentOf(value: unknown): number | undefined {
  if (value instanceof Date) return timeOf(value.getTime())
  const text = textOf(value)
  if (text === undefined) return undefined
  if (/^\d{12,14}$/.test(text)) return Number(text)
  const iso = text.replace(' ', 'T')
  return timeOf(Date.parse(HAS_ZONE.test(iso) || !iso.includes('T') ? iso : `${iso}Z`))
}

const timeOf = (ms: number): number | undefined => (Number.isNaN(ms) ? undefined : ms)
