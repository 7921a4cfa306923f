// The walk over unparsed JSON bytes: it finds their depth, the top-level keys, and ambiguous names.
import {
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  COMMA,
  closingQuote,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
  skipWhitespace,
} from './json-bytes.ts'
import type { Names } from './json-names.ts'
import type { Recall } from './json-recall.ts'
import { type Ambiguity, Watch } from './json-watch.ts'

export interface Walk {
  /** The offset of the opening quote of each key of the outermost object, duplicates included. */
  readonly keys: number[]
  /** The number of commas and brackets, which is about the number of values. */
  readonly values: number
  /** The bytes of all numbers and words (`true`, `null`), as written. */
  readonly bare_bytes: number
  /** The first deciding name that JSON readers could read differently. */
  readonly ambiguity: Ambiguity | undefined
  /** Top-level fields that hold a count which is not written in plain digits. */
  readonly respelled: ReadonlySet<string>
  /** Whether no name was ambiguous, respelled, or compared by `reduce`: only then may other bodies reuse values of this one. */
  readonly is_plain: boolean
}

const SPACE = 0x20

/**
 * Walks unparsed JSON. Brackets inside strings do not count. Only objects in `names` are checked: schemas, arguments and content may
 * name their fields freely.
 *
 * @param max_depth the allowed levels of arrays and objects
 * @param names the deciding names, at the top and in nested objects
 * @param recall the known values of the body, which are skipped
 * @returns undefined for JSON that is nested deeper. For invalid JSON, only the depth up to the first error is meaningful, which is
 * all that a parser reaches.
 */
export function walkJson(
  data: Uint8Array,
  max_depth: number,
  names: Names,
  recall?: Recall,
): Walk | undefined {
  const keys: number[] = []
  const watch = new Watch(data, names)
  let depth = 0
  let values = 0
  let bare_bytes = 0
  for (let at = 0; at < data.length; at++) {
    const byte = data[at]
    if (byte === QUOTE) {
      const end = closingQuote(data, at + 1)
      if (end < 0) break
      if (depth === watch.depth && watch.in_object) {
        const colon = data[end + 1] === COLON ? end + 1 : skipWhitespace(data, end + 1)
        if (data[colon] === COLON) {
          const name = watch.key(at, end, colon)
          if (depth === 1) {
            keys.push(at)
            recall?.key(name, at, end, colon)
          }
        }
      }
      at = end
    } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      const known = depth === recall?.depth ? recall.open(at, { values, bare_bytes }) : undefined
      if (known) {
        if (depth === watch.depth) watch.pass()
        values += known.values
        bare_bytes += known.bare_bytes
        at += known.bytes.length - 1
        continue
      }
      depth++
      values++
      if (depth > max_depth) return undefined
      if (depth === watch.depth + 1) watch.open(byte === OPENING_BRACE)
    } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      if (depth === watch.depth) watch.close()
      depth--
      if (depth === recall?.depth) recall.close(at + 1, { values, bare_bytes })
    } else if (byte === COMMA) {
      values++
      if (depth === recall?.depth) recall.comma()
    } else if (byte !== undefined && byte > SPACE && byte !== COLON) bare_bytes++
  }
  const { ambiguity, respelled, looks } = watch
  return {
    keys,
    values,
    bare_bytes,
    ambiguity,
    respelled,
    is_plain: ambiguity === undefined && respelled.size === 0 && looks === 0,
  }
}
