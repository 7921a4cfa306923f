// A search for parts of compact JSON, as JSON.stringify writes it, without parsing: to parse 30 MB would block the event loop for up
// to a second.
import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COMMA,
  isEscaped,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
} from '../protocols/wire/json-bytes.ts'
import { endOfTurn } from '../utilities/end-of-turn.ts'

/** The place of a value, or of an object's member. */
export interface Part {
  readonly at: number
  readonly end: number
}

/** Yields to other work after this many bytes and quotes: a millisecond or less. */
const STEP = 64 * 1024

/**
 * Visits the elements of an array, or the members of an object, in order.
 * @param open its opening bracket or brace
 * @returns the index after its end
 * @throws SyntaxError if it has no end
 */
export async function eachPart(json: Uint8Array, open: number, look: (part: Part) => void): Promise<number> {
  let depth = 0
  let part_at = open + 1
  let string_at = -1
  let steps = 0
  for (let at = open + 1; at < json.length; at++) {
    if (++steps % STEP === 0) await endOfTurn()
    if (string_at >= 0) {
      at = json.indexOf(QUOTE, at)
      if (at < 0) break
      if (!isEscaped(json, at, string_at, BACKSLASH)) string_at = -1
      continue
    }
    const byte = json[at]
    if (byte === QUOTE) string_at = at + 1
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth++
    else if (byte === COMMA && depth === 0) {
      look({ at: part_at, end: at })
      part_at = at + 1
    } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      if (depth === 0) {
        if (at > part_at) look({ at: part_at, end: at })
        return at + 1
      }
      depth--
    }
  }
  throw new SyntaxError('a kept response was cut')
}

/** The name of a member, and the bytes before its value. */
interface Name {
  readonly name: string
  readonly key: Uint8Array
}

export const namesOf = (...names: readonly string[]): readonly Name[] =>
  names.map((name) => ({ name, key: Buffer.from(`"${name}":`) }))

/** Finds the values of some members of an object. @throws SyntaxError if the object has no end */
export async function membersOf(
  json: Uint8Array,
  open: number,
  names: readonly Name[],
): Promise<{ end: number; values: ReadonlyMap<string, Part> }> {
  const values = new Map<string, Part>()
  const end = await eachPart(json, open, (part) => {
    const found = names.find(({ key }) => beginsWith(json, part.at, key))
    if (found) values.set(found.name, { at: part.at + found.key.length, end: part.end })
  })
  return { end, values }
}

function beginsWith(json: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let index = 0; index < key.length; index++) if (json[at + index] !== key[index]) return false
  return true
}
