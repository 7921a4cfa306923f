// Types that schemas share.
import {
  type SchemaOptions,
  type TNull,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from '@sinclair/typebox'

/** A schema for the body of errors, under each status that a route may fail with. */
export const failures = <Body extends TSchema, const Status extends number>(
  body: Body,
  ...statuses: readonly Status[]
) => Object.fromEntries(statuses.map((status) => [status, body])) as { [S in Status]: Body }

/** One of several words. (TypeBox gives a union of literals that are not written out the type `never`.) */
export const OneOf = <const Word extends string>(words: readonly Word[], about: SchemaOptions = {}) =>
  Type.Unsafe<Word>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      { must: `one of ${words.join(', ')}`, ...about },
    ),
  )

/** A value that may be null. */
export const Nullable = <S extends TSchema>(schema: S): TUnion<[S, TNull]> =>
  Type.Union([schema, Type.Null()])

/** An object without further fields: no request and no answer has one that its schema does not name. */
export const Closed = <Fields extends TProperties>(fields: Fields, about: SchemaOptions = {}) =>
  Type.Object(fields, { ...about, additionalProperties: false })
