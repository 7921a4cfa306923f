// Serialization of TOML values (toml.io, version 1.0) in the style of the values that they replace.
import { withoutTrailing } from '../utilities/text-ends.ts'

export type TomlValue =
  | string
  | number
  | boolean
  | readonly TomlValue[]
  | { readonly [key: string]: TomlValue }
  | Decimal

/** A number with the digits that a person typed: `0.30`. */
class Decimal {
  readonly digits: string

  constructor(digits: string) {
    this.digits = digits
  }
}

/** Longer lists have a line for each element. */
const MAX_LINE_CHARS = 100
const BARE_KEY = /^[A-Za-z0-9_-]+$/

export const isTable = (value: unknown): value is { readonly [key: string]: TomlValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Decimal)

/** Converts a value to what a parser returns for its text. */
export function plain(value: TomlValue): unknown {
  if (value instanceof Decimal) return Number(value.digits)
  if (Array.isArray(value)) return value.map(plain)
  if (isTable(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
  return typeof value === 'string' ? value.toWellFormed() : value
}

const DIGITS = /^(0|[1-9]\d*)(\.\d+)?$/
const WORDS_OF_PRICES = ['size', 'quality']

/** Converts amounts of prices given as strings to numbers with the same digits. @param path of the value */
export function withDigits(value: TomlValue, path: readonly (string | number)[]): TomlValue {
  if (Array.isArray(value)) return value.map((each: TomlValue, index) => withDigits(each, [...path, index]))
  if (isTable(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, withDigits(each, [...path, key])]),
    )
  const is_amount =
    (path.includes('price') || path.includes('cost')) && !WORDS_OF_PRICES.includes(String(path.at(-1)))
  return typeof value === 'string' && is_amount && DIGITS.test(value) ? new Decimal(value) : value
}

export const writeKey = (key: string): string => (BARE_KEY.test(key) ? key : writeString(key))

/**
 * Writes a value on one line, except for a long list.
 *
 * @param like the text of the replaced value, whose number style is kept
 * @param eol the line end
 * @throws RangeError for a number that TOML cannot write
 */
export function writeValue(value: TomlValue, { like = '', eol = '\n' } = {}): string {
  if (typeof value === 'string') return writeString(value)
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return writeNumber(value, like)
  if (value instanceof Decimal) return value.digits
  if (isTable(value)) return writeInlineTable(value, eol)
  return writeList(value as readonly TomlValue[], eol)
}

/** `key = value` */
export const writePair = (key: string, value: TomlValue, eol: string): string =>
  `${key} = ${writeValue(value, { eol })}`

function writeInlineTable(table: { readonly [key: string]: TomlValue }, eol: string): string {
  const pairs = Object.entries(table).map(([key, value]) => writePair(writeKey(key), value, eol))
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

function writeList(list: readonly TomlValue[], eol: string): string {
  const elements = list.map((element) => writeValue(element, { eol }))
  const on_one_line = `[${elements.join(', ')}]`
  if (on_one_line.length <= MAX_LINE_CHARS || elements.length === 0) return on_one_line
  return `[${eol}${elements.map((element) => `  ${element},${eol}`).join('')}]`
}

/** JSON escapes all characters that a basic string must escape except DEL. TOML does not allow lone surrogates. */
const writeString = (text: string): string =>
  JSON.stringify(text.toWellFormed()).replaceAll('\u007F', '\\u007F')

function writeNumber(value: number, like: string): string {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new RangeError(`${value} is no number that can be written`)
  const text = plainDecimal(value)
  const [, decimals] = /^[+-]?[\d_]+\.(\d+)$/.exec(like) ?? []
  if (decimals !== undefined && !text.includes('e')) {
    const [whole = '', own = ''] = text.split('.')
    return `${whole}.${own.padEnd(decimals.length, '0')}`
  }
  return like.includes('_') && Number.isInteger(value) ? inThousands(text) : text
}

const inThousands = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, '_')

/** Formats a number without an exponent, as people write it, if that is exact: `String(1e-7)` is `1e-7`. */
function plainDecimal(value: number): string {
  const text = String(value)
  const digits = text.includes('e-') ? withoutTrailing(value.toFixed(20), '0') : text
  return Number(digits) === value ? digits : text
}
