// Parameters in query strings and paths: common types, repeated parameters, and percent-encoding.
import { Kind, Type, TypeRegistry } from '@sinclair/typebox'

/** Decodes a part of a path; an invalid encoding (RFC 3986, 2.1) is returned unchanged. */
export function decodePathPart(encoded: string): string {
  if (!encoded.includes('%')) return encoded
  try {
    return decodeURIComponent(encoded)
  } catch {
    // Dropped: the encoded text names nothing, so the caller gets "not found".
    return encoded
  }
}

const WHOLE_NUMBER = 'WholeNumberText'
const DIGITS = /^\d{1,15}$/

interface Bounds {
  minimum: number
  maximum?: number
}

/** Accepts digits, or the number decoded from them, since Elysia decodes a query twice. */
TypeRegistry.Set<Bounds>(WHOLE_NUMBER, ({ minimum, maximum = Number.MAX_SAFE_INTEGER }, value) => {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= minimum && number <= maximum
})

/**
 * A whole number of digits only, decoded to a number. Stricter than Elysia's `t.Integer()`, which also accepts `1e3` and
 * ` 5`; for clients and OpenAPI it is an integer.
 * @param must the requirement in a refusal
 */
export const WholeNumber = ({ minimum, maximum }: Bounds, must: string) =>
  Type.Transform(Type.Unsafe<number>({ [Kind]: WHOLE_NUMBER, type: 'integer', minimum, maximum, must }))
    .Decode(Number)
    .Encode((number) => number)

export const ModelName = Type.String({
  minLength: 1,
  maxLength: 128,
  must: 'the name of a model, of at most 128 characters',
})

/** The parameters of a path that ends with a model ID, whose slashes may be encoded or not. */
export const ModelParams = Type.Object({
  '*': Type.String({ title: 'model', description: 'The name of a model.', examples: ['sim-flash'] }),
})

/**
 * Returns the parameters that a query string repeats, each with all values. An array matches no parameter's schema, so that it
 * is refused; Elysia would silently use the last value.
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
