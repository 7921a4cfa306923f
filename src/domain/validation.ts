// The validator of plain values against TypeBox schemas, each compiled once, which reports faults as plain values.
import type { Static, TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { Errors, type ValueError, ValueErrorType } from '@sinclair/typebox/errors'

/**
 * A fault in one part of a value. Its words come from two annotations of the schema: `must` (the requirement)
 * and `description`. An annotation `code` sets a more specific error code.
 */
export interface Fault {
  /** Field names and array positions from the outside in; empty for the value itself. */
  path: readonly (string | number)[]
  problem: 'missing' | 'unknown' | 'wrong'
  /** The requirement, such as `a whole number from 1 to 1000`. */
  must: string
  /** The allowed fields at the place of an unknown one. */
  allowed: readonly string[]
  description: string | undefined
  code: string | undefined
  /** The found value. It may be secret or long, so messages must not contain it. */
  found: unknown
}

/** The words for types without a `must`. */
export interface TypeWords {
  string: string
  boolean: string
  array: string
  object: string
}

const JSON_WORDS: TypeWords = {
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
}

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>()

function checkOf(schema: TSchema): TypeCheck<TSchema> {
  const known = compiled.get(schema)
  if (known) return known
  const check = TypeCompiler.Compile(schema)
  compiled.set(schema, check)
  return check
}

/** Whether a value matches its schema. The schema is compiled on first use, for frequent checks. */
export const fits = <S extends TSchema>(schema: S, value: unknown): value is Static<S> =>
  checkOf(schema).Check(value)

/** Parses JSON and checks its value; undefined if it does not match the schema, or is no JSON. */
export function readJsonAs<S extends TSchema>(schema: S, text: string): Static<S> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return fits(schema, value) ? value : undefined
  } catch {
    // Dropped: the text is no JSON. The caller decides what that means.
    return undefined
  }
}

/**
 * Yields the faults of a value lazily, at most one per path. The schema is interpreted, not compiled, which is cheaper
 * for a single check, such as of a file read at the start.
 */
export const faultsIn = (schema: TSchema, value: unknown, words?: TypeWords): Iterable<Fault> =>
  faultsFrom(Errors(schema, [], value), value, words)

/** Yields the faults from the errors of another compiled check, such as Elysia's. */
export function* faultsFrom(
  errors: Iterable<ValueError>,
  value: unknown,
  words: TypeWords = JSON_WORDS,
): Iterable<Fault> {
  const seen = new Set<string>()
  for (const { type, path, schema, value: found } of errors) {
    if (seen.has(path)) continue
    seen.add(path)
    yield {
      path: pathWithin(value, path),
      problem: PROBLEMS.get(type) ?? 'wrong',
      must: mustOf(schema, words),
      allowed: Object.keys(schema.properties ?? {}),
      description: schema.description,
      code: typeof schema.code === 'string' ? schema.code : undefined,
      found,
    }
  }
}

const PROBLEMS: ReadonlyMap<ValueErrorType, Fault['problem']> = new Map([
  [ValueErrorType.ObjectRequiredProperty, 'missing'],
  [ValueErrorType.ObjectAdditionalProperties, 'unknown'],
])

function mustOf(schema: TSchema, words: TypeWords): string {
  if (typeof schema.must === 'string') return schema.must
  const choices = choicesOf(schema).map((choice) => JSON.stringify(choice))
  if (choices.length > 0) return choices.length === 1 ? `${choices[0]}` : `one of ${inProse(choices)}`
  const { type, minimum, maximum, minItems } = schema.anyOf?.[1]?.type === 'null' ? schema.anyOf[0] : schema
  if (type === 'integer') return `a whole number${rangeOf(minimum, maximum)}`
  if (type === 'number') return `a number${rangeOf(minimum, maximum)}`
  if (type === 'array' && minItems !== undefined) return `${words.array} of at least ${minItems}`
  return isWorded(type) ? words[type] : 'of another type'
}

const isWorded = (type: unknown): type is keyof TypeWords =>
  typeof type === 'string' && Object.hasOwn(JSON_WORDS, type)

/** The string constants that a schema allows. */
function choicesOf(schema: TSchema): string[] {
  const branches: readonly TSchema[] = Array.isArray(schema.anyOf) ? schema.anyOf : [schema]
  return branches.flatMap((branch) => (typeof branch.const === 'string' ? [branch.const] : []))
}

const inProse = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

function rangeOf(minimum: unknown, maximum: unknown): string {
  if (typeof minimum === 'number' && typeof maximum === 'number') return ` from ${minimum} to ${maximum}`
  return typeof minimum === 'number' ? ` of at least ${minimum}` : ''
}

/** Converts a JSON pointer (RFC 6901) into a path; array positions become numbers. */
function pathWithin(value: unknown, pointer: string): (string | number)[] {
  let at = value
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const key = Array.isArray(at) ? Number(name) : name
      at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined
      return key
    })
}
