// Values of LiteLLM's configuration and rows as they are read: any of them may be missing, empty or of another type.
import { jsonIn } from '../source/json.ts'

export type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object; empty for everything else. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

/** The elements of a list; none for everything else. */
export const elementsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The text of a string or a number, trimmed; undefined where nothing is written. */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return undefined
  const text = String(value).trim()
  return text === '' ? undefined : text
}

/** The strings of a list, without empty ones. */
export const textsOf = (value: unknown): readonly string[] =>
  elementsOf(value).flatMap((each) => textOf(each) ?? [])

/** A whole number above 0; undefined for everything else. */
export function countOf(value: unknown): number | undefined {
  const count = Number(textOf(value))
  return Number.isSafeInteger(count) && count > 0 ? count : undefined
}

/** An object that PostgreSQL may deliver as JSON text; empty for everything else. */
export const jsonFields = (value: unknown): Fields =>
  fieldsOf(typeof value === 'string' ? jsonIn(value) : value)

const ARRAY_ELEMENT = /"((?:[^"\\]|\\.)*)"|([^,{}"]+)/g

/** The strings of a `text[]` column: an array, JSON, or PostgreSQL's own form `{a,"b c"}`. */
export function columnTexts(value: unknown): readonly string[] {
  if (typeof value !== 'string') return textsOf(value)
  if (value.startsWith('[')) return textsOf(elementsOfJson(value))
  return [...value.matchAll(ARRAY_ELEMENT)].flatMap(([, quoted, bare]) => {
    const text = quoted === undefined ? bare : quoted.replace(/\\(.)/g, '$1')
    return textOf(text) ?? []
  })
}

/** The elements of a list that may be JSON text. */
export const elementsOfJson = (value: unknown): readonly unknown[] =>
  elementsOf(typeof value === 'string' ? jsonIn(value) : value)

const HAS_ZONE = /(?:Z|[+-]\d{2}(?::?\d{2})?)$/

/**
 * A moment of a row. Prisma keeps times of UTC in columns without a zone.
 *
 * @returns Unix milliseconds; undefined where none is written
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
