// Parameters in a query string: the types and checks that schemas of query strings share, and paging.
import { Kind, Type, TypeRegistry } from '@sinclair/typebox'

const WHOLE_NUMBER = 'WholeNumberText'
const DIGITS = /^\d{1,15}$/
const MAX_LIMIT = 1_000
/** Without a limit of the caller's, a page has this many entries. */
const DEFAULT_LIMIT = 50

interface Bounds {
  minimum: number
  maximum?: number
}

/** Digits, or the number that they were decoded to: Elysia decodes a query twice. */
TypeRegistry.Set<Bounds>(WHOLE_NUMBER, ({ minimum, maximum = Number.MAX_SAFE_INTEGER }, value) => {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value
  return typeof number === 'number' && number >= minimum && number <= maximum
})

/**
 * A whole number in digits and nothing else, read as a number. Stricter than Elysia's `t.Integer()`, which takes `1e3` and
 * ` 5` too; to clients and to OpenAPI it is a plain integer.
 *
 * @param must what a refusal says of a wrong value
 */
export const WholeNumber = ({ minimum, maximum }: Bounds, must: string) =>
  Type.Transform(
    Type.Unsafe<number>({
      [Kind]: WHOLE_NUMBER,
      type: 'integer',
      minimum,
      ...(maximum === undefined ? {} : { maximum }),
      must,
    }),
  )
    .Decode(Number)
    .Encode((number) => number)

/** How many entries a page has at most. */
export const Limit = WholeNumber({ minimum: 1, maximum: MAX_LIMIT }, `a whole number from 1 to ${MAX_LIMIT}`)

/** One of several words. (TypeBox gives a union of literals that are not written out the type `never`.) */
export const OneOf = <const Word extends string>(words: readonly Word[]) =>
  Type.Unsafe<Word>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      { must: `one of ${words.join(', ')}` },
    ),
  )

export const ModelName = Type.String({
  minLength: 1,
  maxLength: 128,
  must: 'the name of a model, of at most 128 characters',
})

/** The parameters of every list that comes in pages, the newest first. */
export const PAGE_PARAMETERS = {
  limit: Type.Optional(Limit),
  cursor: Type.Optional(WholeNumber({ minimum: 1 }, 'the next_cursor of the page before')),
}

/** What such a list answers beside its entries. */
export const PAGE_FIELDS = { next_cursor: Type.Union([Type.Integer(), Type.Null()]) }

/** The page that is asked for. */
export const pageOf = ({ limit = DEFAULT_LIMIT, cursor }: { limit?: number; cursor?: number }) => ({
  limit,
  cursor,
})

/** Where the next page begins, as it is answered; null on the last page. */
export const pageFields = ({ next_cursor = null }: { next_cursor: number | undefined | null }) => ({
  next_cursor,
})

/**
 * The parameters that a query string gives more than once, each with all of its values. An array fits no schema of a
 * parameter, so that it is refused; Elysia alone would silently take the last value.
 */
export function doubledParameters(url: string): Record<string, string[]> {
  const doubled: Record<string, string[]> = Object.create(null)
  const query = url.indexOf('?')
  if (query < 0 || !url.includes('&', query)) return doubled
  const { searchParams } = new URL(url)
  for (const name of new Set(searchParams.keys())) {
    const values = searchParams.getAll(name)
    if (values.length > 1) doubled[name] = values
  }
  return doubled
}
