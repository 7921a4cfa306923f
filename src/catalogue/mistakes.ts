// Mistakes in the catalogue file: validation against schemas, with the line of each mistake and advice.
import { Kind, type Static, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Fault, faultsIn, type TypeWords } from '../domain/validation.ts'
import { sectionSchemas } from './sections.ts'
import type { TomlDocument, TomlPath } from './toml.ts'
import { isTable } from './toml-write.ts'

/** A placeholder for names that the operator chooses, such as an account's. */
const ANY_NAME = 'NAME'

/** Returns the sections with a field of this name, such as `[limits.account]`. */
const sectionsWith = (field: string): string[] =>
  Object.entries(sectionSchemas()).flatMap(([name, schema]) => tablesWith(field, schema, name))

function tablesWith(field: string, schema: TSchema, path: string): string[] {
  const properties: Readonly<Record<string, TSchema>> = schema.properties ?? {}
  const own = Object.hasOwn(properties, field) ? [`[${path}]`] : []
  const below = Object.entries(properties).flatMap(([name, part]) =>
    tablesWith(field, part, `${path}.${name}`),
  )
  const named: TSchema[] = Object.values(schema.patternProperties ?? {})
  return [...own, ...below, ...named.flatMap((part) => tablesWith(field, part, `${path}.${ANY_NAME}`))]
}

export interface Mistake {
  /** Such as `models[2].price.input`; empty for the whole file. */
  path: string
  /** From 1. */
  line: number
  /** The advice. */
  message: string
}

/** Reports a mistake in the value at `path`. */
export type Report = (path: TomlPath, message: string) => void

/** Collects the first mistake of each path, sorted by line. */
export class Mistakes {
  readonly #document: TomlDocument
  readonly #byPath = new Map<string, Mistake>()

  constructor(document: TomlDocument) {
    this.#document = document
  }

  readonly report: Report = (path, message) => {
    const written = writePath(path)
    if (!this.#byPath.has(written))
      this.#byPath.set(written, { path: written, line: this.#document.lineOf(path), message })
  }

  get list(): Mistake[] {
    return [...this.#byPath.values()].sort((one, other) => one.line - other.line)
  }
}

const TOML_WORDS: TypeWords = {
  string: 'text in quotes',
  boolean: 'true or false',
  array: 'a list',
  object: 'a table',
}

/**
 * Checks one part of the file and fills in its defaults.
 *
 * @param path of the part in the file
 * @returns the part; undefined if it has mistakes, which have been reported
 */
export function validate<S extends TSchema>(
  schema: S,
  part: unknown,
  path: TomlPath,
  report: Report,
): Static<S> | undefined {
  // Before the defaults are filled in, since TypeBox would replace a table by the default of a list.
  const tables = tablesForLists(schema, part)
  for (const { within, is_of_tables } of tables) {
    const at = [...path, ...within]
    report(
      at,
      is_of_tables
        ? `must be a list of tables: begin each of them with [[${writePath(at)}]]`
        : 'must be a list',
    )
  }
  if (tables.length > 0) return undefined
  const value = Value.Default(schema, part)
  if (Value.Check(schema, value)) return value
  for (const fault of faultsIn(schema, value, TOML_WORDS)) report([...path, ...fault.path], explain(fault))
  return undefined
}

/** Finds tables in the place of lists with a default, such as `[sign_in.oidc]` instead of `[[sign_in.oidc]]`. */
function tablesForLists(schema: TSchema, part: unknown): { within: TomlPath; is_of_tables: boolean }[] {
  const inside = (name: string | number, of: TSchema, value: unknown) =>
    tablesForLists(of, value).map((each) => ({ ...each, within: [name, ...each.within] }))
  if (schema[Kind] === 'Array') {
    if (isTable(part) && schema.default !== undefined)
      return [{ within: [], is_of_tables: schema.items[Kind] === 'Object' }]
    return Array.isArray(part) ? part.flatMap((each, at) => inside(at, schema.items, each)) : []
  }
  if (schema[Kind] !== 'Object' || !isTable(part)) return []
  return Object.entries(schema.properties as Record<string, TSchema>).flatMap(([name, of]) =>
    Object.hasOwn(part, name) ? inside(name, of, part[name]) : [],
  )
}

function explain({ problem, path, must, description, allowed }: Fault): string {
  if (problem === 'unknown') return unknownField(String(path.at(-1)), allowed)
  const expected = description ? `${must} (${description})` : must
  return problem === 'missing' ? `is missing: it must be ${expected}` : `must be ${expected}`
}

/** The same name in another section is a better suggestion than a similar name here. */
function unknownField(name: string, allowed: readonly string[]): string {
  const sections = sectionsWith(name)
  if (sections.length === 0) return unknown('field', name, allowed)
  return `unknown field; ${name} belongs in ${alternatives(sections)}`
}

/** Formats a mistake: `tollgate.toml:12: models[2].price.input: must be …`. */
export function formatMistake(file: string, { path, line, message }: Mistake): string {
  return [`${file}:${line}`, path, message].filter((part) => part !== '').join(': ')
}

/** Returns the message about an unknown name. @param what the kind of name */
export function unknown(what: string, name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  const hint = near === undefined ? `allowed: ${known.join(', ')}` : `did you mean "${near}"?`
  return known.length === 0 ? `unknown ${what}` : `unknown ${what}; ${hint}`
}

/** Returns the most similar known word; undefined if none is similar. */
function nearest(word: string, known: readonly string[]): string | undefined {
  const limit = Math.ceil(word.length / 3)
  let best: { word: string; distance: number } | undefined
  for (const candidate of known) {
    if (Math.abs(word.length - candidate.length) > limit) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance <= limit && (!best || distance < best.distance)) best = { word: candidate, distance }
  }
  return best?.word
}

/** `"a", "b" or "c"`. */
export function listed(words: readonly string[], conjunction = 'and'): string {
  const quoted = words.map((word) => JSON.stringify(word))
  const last = quoted.pop() ?? ''
  return quoted.length === 0 ? last : `${quoted.join(', ')} ${conjunction} ${last}`
}

/** `a, b or c` */
function alternatives(words: readonly string[]): string {
  const [last = '', ...others] = words.toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`
}

/** The Levenshtein distance. */
function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const changed = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1)
      current.push(Math.min(changed, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[other.length] ?? 0
}

const BARE_KEY = /^[A-Za-z0-9_-]+$/

/** `models[2].price.input` */
export function writePath(path: TomlPath): string {
  return path
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`
      return `.${BARE_KEY.test(part) ? part : JSON.stringify(part)}`
    })
    .join('')
    .replace(/^\./, '')
}
