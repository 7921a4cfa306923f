// Forms: TypeBox schemas of what is read of wire bodies. They name the fields, type what is read, and check a caller's values.
import {
  OptionalKind,
  type Static,
  type TArray,
  type TNull,
  type TObject,
  type TProperties,
  type TRecord,
  type TSchema,
  type TUnion,
  type TUnknown,
  Type,
} from '@sinclair/typebox'
import {
  type Check,
  isObject,
  type Json,
  type JsonObject,
  objectIn,
  objectsIn,
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
/** An object that is carried on as it is, such as a JSON Schema or a tool call's arguments. */
export const OpenObject = Type.Record(Type.String(), Type.Unknown())
/** A value that the reader looks at by itself, because it may have several shapes. */
export const Anything = Type.Unknown()

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
 * An upstream's object of which a form's fields are read: nobody has checked them, so each may be absent or of any
 * type.
 */
export type Unchecked<F extends TObject> = { readonly [K in keyof F['properties']]?: Json }

/** An upstream's value as such an object; empty where it is none. */
export const uncheckedIn = <F extends TObject>(value: Json | undefined): Unchecked<F> =>
  objectIn(value) as Unchecked<F>

/** An upstream's list of such objects; items that are no objects are left out. */
export const eachUncheckedIn = <F extends TObject>(value: Json | undefined): Unchecked<F>[] =>
  objectsIn(value) as Unchecked<F>[]

type NameIn<F extends TObject> = keyof F['properties'] & string
type OptionalOf<S> = S extends { [OptionalKind]: 'Optional' } & TUnion<[infer Inner extends TSchema, TNull]>
  ? Inner
  : never

/** What a field is read as: what is inside an object or a list is read by a form of its own. */
type Read<S> = [OptionalOf<S>] extends [never] ? ReadRequired<S> : ReadRequired<OptionalOf<S>> | undefined
type ReadRequired<S> = S extends TObject | TRecord
  ? JsonObject
  : S extends TArray
    ? Json[]
    : S extends TUnknown
      ? Json | undefined
      : S extends TSchema
        ? Static<S>
        : never

/** A field whose object is read by the form that the field has. */
type Within<S> = S extends TObject
  ? FieldReader<S>
  : OptionalOf<S> extends infer Inner extends TObject
    ? FieldReader<Inner> | undefined
    : never

/** The fields of a caller's object, each checked when it is read. */
export class FieldReader<F extends TObject> {
  readonly #form: F
  readonly #object: JsonObject
  readonly #path: string

  /** @param path the object's place in the caller's request; empty for the request itself */
  constructor(form: F, object: JsonObject, path: string) {
    this.#form = form
    this.#object = object
    this.#path = path
  }

  /** The field's place in the caller's request. */
  at(name: NameIn<F>): string {
    return this.#path === '' ? name : `${this.#path}.${name}`
  }

  /** @throws GatewayError invalid_request that names the field, where it is missing or of another type */
  get<K extends NameIn<F>>(name: K): Read<F['properties'][K]> {
    return readValue(this.#form.properties[name], this.#object[name], this.at(name)) as Read<
      F['properties'][K]
    >
  }

  /** @returns the reader of an object in a field; undefined where an optional one is absent */
  within<K extends NameIn<F>>(name: K): Within<F['properties'][K]> {
    const form = this.#form.properties[name]
    const object = readValue(form, this.#object[name], this.at(name))
    return (
      isObject(object) ? new FieldReader(requiredOf(form) as TObject, object, this.at(name)) : undefined
    ) as Within<F['properties'][K]>
  }

  /** The same object by another form, where its type decides which fields it has. */
  as<G extends TObject>(form: G): FieldReader<G> {
    return new FieldReader(form, this.#object, this.#path)
  }

  /** Each item of a list in a field; none where an optional one is absent. */
  each<T>(name: NameIn<F>, read: Check<T>): T[] {
    const list = readValue(this.#form.properties[name], this.#object[name], this.at(name))
    return Array.isArray(list) ? list.map((item, index) => read(item, `${this.at(name)}[${index}]`)) : []
  }
}

/** A caller's value as an object of a form. @throws GatewayError invalid_request where it is no object */
export const readObject = <F extends TObject>(
  form: F,
  value: Json | undefined,
  path: string,
): FieldReader<F> => new FieldReader(form, wantObject(value, path), path)

const CHECKS: Readonly<Record<string, Check<Json>>> = {
  string: wantString,
  boolean: wantBoolean,
  number: wantNumber,
  integer: wantCount,
  array: wantArray,
  object: wantObject,
}

const isOptional = (form: TSchema): boolean => form[OptionalKind] === 'Optional'

/** The form of a value that is there. */
const requiredOf = (form: TSchema): TSchema => (isOptional(form) ? form.anyOf[0] : form)

function readValue(form: TSchema, value: Json | undefined, path: string): Json | undefined {
  if (isOptional(form) && (value === undefined || value === null)) return undefined
  const required = requiredOf(form)
  if (required.anyOf) return readChoice(required.anyOf, value, path)
  // A choice of one name is that name alone, without a union around it.
  if (required.const !== undefined) return readChoice([required], value, path)
  const check = CHECKS[required.type]
  return check ? check(value, path) : value
}

function readChoice(choices: readonly TSchema[], value: Json | undefined, path: string): string {
  const name = wantString(value, path)
  if (choices.some((choice) => choice.const === name)) return name
  throw refusal(path, `must be one of ${choices.map((choice) => choice.const).join(', ')}.`)
}
