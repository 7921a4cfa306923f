// Owns holding a part of the catalogue file against its schema, in words that tell a person what to write.
import type { Static, TSchema } from '@sinclair/typebox'
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value'
import { listed, type Report, suggest } from './mistakes.ts'
import type { TomlPath } from './toml.ts'

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
  for (const error of Value.Errors(schema, value)) {
    report([...path, ...pathWithin(value, error.path)], explain(error))
  }
  return undefined
}

/** What a value must be, as a person would say it. */
function expectation(schema: TSchema): string {
  const must: unknown = schema.must
  const expected = typeof must === 'string' ? must : byType(schema)
  return schema.description ? `${expected} (${schema.description})` : expected
}

function explain(error: ValueError): string {
  if (error.type === ValueErrorType.ObjectRequiredProperty)
    return `is missing: it must be ${expectation(error.schema)}`
  if (error.type === ValueErrorType.ObjectAdditionalProperties)
    return `is not a field that exists here: ${suggest(lastPart(error.path), fieldsOf(error.schema))}`
  return `must be ${expectation(error.schema)}`
}

const EXPECTATION_BY_TYPE: Record<string, (schema: TSchema) => string> = {
  string: () => 'text in quotes',
  boolean: () => 'true or false',
  integer: ({ minimum, maximum }) => `a whole number${range(minimum, maximum)}`,
  number: ({ minimum, maximum }) => `a number${range(minimum, maximum)}`,
  array: ({ minItems }) => (minItems === undefined ? 'a list' : `a list of at least ${Number(minItems)}`),
  object: () => 'a table',
}

function byType(schema: TSchema): string {
  const choices = choicesOf(schema)
  if (choices.length > 0) return `one of ${listed(choices, 'or')}`
  return EXPECTATION_BY_TYPE[String(schema.type)]?.(schema) ?? 'something else'
}

function choicesOf(schema: TSchema): string[] {
  const branches: unknown = schema.anyOf ?? [schema]
  if (!Array.isArray(branches)) return []
  return branches.flatMap((branch: TSchema) => (typeof branch.const === 'string' ? [branch.const] : []))
}

function range(minimum: unknown, maximum: unknown): string {
  if (typeof minimum === 'number' && typeof maximum === 'number') return ` from ${minimum} to ${maximum}`
  return typeof minimum === 'number' ? ` of at least ${minimum}` : ''
}

const fieldsOf = (schema: TSchema): string[] => Object.keys(schema.properties ?? {})

const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

const lastPart = (pointer: string): string => partsOf(pointer).at(-1) ?? ''

/** A JSON pointer (RFC 6901) as a path whose list positions are numbers. */
function pathWithin(value: unknown, pointer: string): TomlPath {
  let at = value
  return partsOf(pointer).map((part) => {
    const key = Array.isArray(at) ? Number(part) : part
    at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined
    return key
  })
}
