// Common constructors of schemas.
import {
  type SchemaOptions,
  type TNull,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from '@sinclair/typebox'

/** Returns the schema of error bodies for each status that a route may fail with. */
export const failures = <Body extends TSchema, const Status extends number>(
  body: Body,
  ...statuses: readonly Status[]
) => Object.fromEntries(statuses.map((status) => [status, body])) as { [S in Status]: Body }

/** One of several words. (TypeBox infers `never` for a union of computed literals.) */
export const OneOf = <const Word extends string>(words: readonly Word[], about: SchemaOptions = {}) =>
  Type.Unsafe<Word>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      { must: `one of ${words.join(', ')}`, ...about },
    ),
  )

export const Nullable = <S extends TSchema>(schema: S): TUnion<[S, TNull]> =>
  Type.Union([schema, Type.Null()])

/** An object without additional fields, for all requests and answers. */
export const Closed = <Fields extends TProperties>(fields: Fields, about: SchemaOptions = {}) =>
  Type.Object(fields, { ...about, additionalProperties: false })
