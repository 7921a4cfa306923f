// SQL texts in PostgreSQL's form: numbered parameters, and ids that the server assigns.
import type { Values } from '../../db.ts'

/** Skips quoted texts and names. */
const PLACES = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g
const NAMES = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Za-z_]\w*)/g

/** Drizzle passes null for an id that SQLite assigns. */
const ASSIGNS_ID = /^insert into "\w+" \("(?:id|version)", /

/** The number of kept texts. The project has some hundreds. */
const MAX_KNOWN = 2_000

const numbered = cached((text: string): string => {
  let count = 0
  const with_defaults = ASSIGNS_ID.test(text) ? text.replaceAll('(null,', '(default,') : text
  return with_defaults.replace(PLACES, (found) => (found === '?' ? `$${++count}` : found))
})

interface Named {
  readonly text: string
  readonly names: readonly string[]
}

const named = cached((text: string): Named => {
  const names: string[] = []
  const numberOf = (name: string): number => {
    if (!names.includes(name)) names.push(name)
    return names.indexOf(name) + 1
  }
  const numbers = text.replace(NAMES, (found, name?: string) => (name ? `$${numberOf(name)}` : found))
  return { text: numbers, names }
})

/** Converts a text from Drizzle, whose parameters are question marks. */
export const textOf: (text: string) => string = numbered

/**
 * Converts a text with `$name` parameters, and lists their values in the order of their numbers.
 * @throws Error if a value is missing
 */
export function statementOf(text: string, values: Values): { text: string; values: Values[string][] } {
  const { text: numbers, names } = named(text)
  const ordered = names.map((name) => {
    const value = values[name]
    if (value === undefined) throw new Error(`No value is given for $${name}.`)
    return value
  })
  return { text: numbers, values: ordered }
}

function cached<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= MAX_KNOWN) known.clear()
    const made = make(text)
    known.set(text, made)
    return made
  }
}
