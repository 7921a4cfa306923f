// Types that schemas share.
import { type TNull, type TSchema, type TUnion, Type } from '@sinclair/typebox'

/** One of several words. (TypeBox gives a union of literals that are not written out the type `never`.) */
export const OneOf = <const Word extends string>(words: readonly Word[]) =>
  Type.Unsafe<Word>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      { must: `one of ${words.join(', ')}` },
    ),
  )

/** A value that may be null. */
export const Nullable = <S extends TSchema>(schema: S): TUnion<[S, TNull]> =>
  Type.Union([schema, Type.Null()])
