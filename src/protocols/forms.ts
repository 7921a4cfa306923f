// Forms: TypeBox schemas of what is read of callers' bodies. They name the fields, type what is read, and check the values.
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
/** An object that is carried on as it is, such as a JSON Schema, or that is read by a form of its own. */
export const OpenObject = Type.Unsafe<JsonObject>(Type.Object({}))
/** A value that the reader looks at by itself, because it may have several shapes, or be absent. */
export const Anything = Type.Optional(Type.Unsafe<Json>(Type.Unknown()))

/** An object, of which these fields are read. */
export const Fields = <P extends TProperties>(properties: P): TObject<P> => Type.Object(properties)

export const List = <S extends TSchema>(item: S): TArray<S> => Type.Array(item)

/** One of the names that a table has. */
export const Choice = <K extends string>(table: Readonly<Record<K, unknown>>) =>
  Type.Unsafe<K>(Type.Union(Object.keys(table).map((name) => Type.Literal(name))))

/** A field that may be absent or null, which mean the same. */
export const optional = <S extends TSchema>(form: S) => Type.Optional(Type.Union([form, Type.Null()]))

/** The names of a form's fields. */
export const namesOf = (form: TObject): ReadonlySet<string> => new Set(Object.keys(form.properties))

/**
 * A caller's value as an object of a form: the very same object, all of its form's fields checked.
 * @param path the object's place in the caller's request; empty for the request itself
 * @throws GatewayError invalid_request that names the first field that is missing or of another type
 */
export function readObject<F extends TObject>(form: F, value: Json | undefined, path: string): Static<F> {
  if (fits(form, value)) return value as Static<F>
  reject(form, value, path)
  throw refusal(path, 'is malformed.')
}

/** The same, without the fields that are null. */
export const readPresent = <F extends TObject>(
  form: F,
  value: Json | undefined,
  path: string,
): Present<Static<F>> => withoutNulls(readObject(form, value, path))

export type Present<T> = { [K in keyof T]: Exclude<T[K], null> }

/** The very same object where no field is null, as in most. */
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

/** Throws for the first fault of a value that does not have its form. */
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

/** A choice of one name is that name alone, without a union around it. */
function choicesOf(form: TSchema): readonly unknown[] | undefined {
  if (form.const !== undefined) return [form.const]
  return form.anyOf?.map((choice: TSchema) => choice.const)
}

function rejectChoice(names: readonly unknown[], value: Json | undefined, path: string): void {
  if (!names.includes(wantString(value, path))) throw refusal(path, `must be one of ${names.join(', ')}.`)
}
