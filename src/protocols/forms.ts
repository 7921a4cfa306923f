// Forms: TypeBox schemas of the fields that the gateway reads from callers' bodies.
import {
  OptionalKind,
  type Static,
  type TArray,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox'
import { fits } from '../domain/validation.ts'
import {
  type Check,
  isObject,
  type Json,
  type JsonObject,
  refusal,
  wantArray,
  wantBoolean,
  wantCount,
  wantNumber,
  wantObject,
  wantString,
} from './wire/json.ts'

export const Text = Type.String()
export const Flag = Type.Boolean()
export const Quantity = Type.Number()
/** A whole number, 0 or more. */
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
/** An object that passes through unchanged, such as a JSON Schema, or that has a form of its own. */
export const OpenObject = Type.Unsafe<JsonObject>(Type.Object({}))
/** A value that its reader checks itself, because it may have several shapes, or be absent. */
export const Anything = Type.Optional(Type.Unsafe<Json>(Type.Unknown()))

/** An object of which only these fields are read. */
export const Fields = <P extends TProperties>(properties: P): TObject<P> => Type.Object(properties)

export const List = <S extends TSchema>(item: S): TArray<S> => Type.Array(item)

/** One of the names in a table. */
export const Choice = <K extends string>(table: Readonly<Record<K, unknown>>) =>
  Type.Unsafe<K>(Type.Union(Object.keys(table).map((name) => Type.Literal(name))))

/** A field that may be absent or null, with the same meaning. */
export const optional = <S extends TSchema>(form: S) => Type.Optional(Type.Union([form, Type.Null()]))

/** The names of a form's fields. */
export const namesOf = (form: TObject): ReadonlySet<string> => new Set(Object.keys(form.properties))

/**
 * Checks a caller's value against a form and returns the same object.
 * @param path the object's place in the caller's request; empty for the request itself
 * @throws GatewayError invalid_request that names the first field that is missing or has another type
 */
export function readObject<F extends TObject>(form: F, value: Json | undefined, path: string): Static<F> {
  if (fits(form, value)) return value as Static<F>
  reject(form, value, path)
  throw refusal(path, 'is malformed.')
}

/** As readObject, without the fields that are null. */
export const readPresent = <F extends TObject>(
  form: F,
  value: Json | undefined,
  path: string,
): Present<Static<F>> => withoutNulls(readObject(form, value, path))

export type Present<T> = { [K in keyof T]: Exclude<T[K], null> }

/** Returns the same object if no field is null, which is the usual case. */
function withoutNulls<T extends object>(object: T): Present<T> {
  for (const name in object) {
    if (object[name] !== null) continue
    const fields = Object.entries(object).filter(([, value]) => value !== null)
    return Object.fromEntries(fields) as Present<T>
  }
  return object as Present<T>
}

const CHECKS: Readonly<Record<string, Check<Json>>> = {
  string: wantString,
  boolean: wantBoolean,
  number: wantNumber,
  integer: wantCount,
  array: wantArray,
  object: wantObject,
}

/** Throws for the first fault of a value that does not match its form. */
function reject(form: TSchema, value: Json | undefined, path: string): void {
  const is_optional = form[OptionalKind] === 'Optional'
  if (is_optional && (value === undefined || value === null)) return
  const required: TSchema = is_optional ? (form.anyOf?.[0] ?? form) : form
  const names = choicesOf(required)
  if (names) rejectChoice(names, value, path)
  else CHECKS[required.type]?.(value, path)
  if (required.items && Array.isArray(value))
    for (const [index, item] of value.entries()) reject(required.items, item, `${path}[${index}]`)
  if (isObject(value))
    for (const [name, field] of Object.entries<TSchema>(required.properties ?? {}))
      reject(field, value[name], path === '' ? name : `${path}.${name}`)
}

/** TypeBox writes a choice of one name as a literal, without a union. */
function choicesOf(form: TSchema): readonly unknown[] | undefined {
  if (form.const !== undefined) return [form.const]
  return form.anyOf?.map((choice: TSchema) => choice.const)
}

function rejectChoice(names: readonly unknown[], value: Json | undefined, path: string): void {
  if (!names.includes(wantString(value, path))) throw refusal(path, `must be one of ${names.join(', ')}.`)
}
