// Parts of the catalogue file against their schemas: the faults, in words that tell a person what to write.
import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Fault, faultsIn, type TypeWords } from '../domain/validation.ts'
import { nearest, type Report } from './mistakes.ts'
import type { TomlPath } from './toml.ts'

const TOML_WORDS: TypeWords = {
  string: 'text in quotes',
  boolean: 'true or false',
  array: 'a list',
  object: 'a table',
}

/**
 * Checks one part of the file and fills in its defaults.
 *
 * @param path where the part stands in the file
 * @returns the part; undefined where it has mistakes, all of which have been reported
 */
export function validate<S extends TSchema>(
  schema: S,
  part: unknown,
  path: TomlPath,
  report: Report,
): Static<S> | undefined {
  const value = Value.Default(schema, part)
  if (Value.Check(schema, value)) return value
  for (const fault of faultsIn(schema, value, TOML_WORDS)) report([...path, ...fault.path], explain(fault))
  return undefined
}

function explain({ problem, path, must, description, allowed }: Fault): string {
  if (problem === 'unknown') return unknownField(String(path.at(-1)), allowed)
  const expected = description ? `${must} (${description})` : must
  return problem === 'missing' ? `is missing: it must be ${expected}` : `must be ${expected}`
}

function unknownField(name: string, allowed: readonly string[]): string {
  const near = nearest(name, allowed)
  return near === undefined
    ? `unknown field; allowed: ${allowed.join(', ')}`
    : `unknown field; did you mean "${near}"?`
}
