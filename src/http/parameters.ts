// Parameters in a query string and in paths: types that they share, those given more than once, and percent-encoding.
import { Kind, Type, TypeRegistry } from '@sinclair/typebox'

/** The text that a part of a path stands for; the part as it stands if it is not a valid encoding (RFC 3986, 2.1). */
export function decodePathPart(encoded: string): string {
  if (!encoded.includes('%')) return encoded
  try {
    return decodeURIComponent(encoded)
  } catch {
    // Left encoded it names nothing that is here, so the caller is told that it was not found.
    return encoded
  }
}

const WHOLE_NUMBER = 'WholeNumberText'
const DIGITS = /^\d{1,15}$/

interface Bounds {
  minimum: number
  maximum?: number
}

/** Digits, or the number that they were decoded to: Elysia decodes a query twice. */
TypeRegistry.Set<Bounds>(WHOLE_NUMBER, ({ minimum, maximum = Number.MAX_SAFE_INTEGER }, value) => {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= minimum && number <= maximum
})

/**
 * A whole number in digits and nothing else, read as a number. Stricter than Elysia's `t.Integer()`, which takes `1e3` and
 * ` 5` too; to clients and to OpenAPI it is a plain integer.
 * @param must what a refusal says of a wrong value
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

/** Of a path that ends with a model's id, whose slashes are written as they are or encoded. */
export const ModelParams = Type.Object({
  '*': Type.String({ title: 'model', description: 'The name of a model.', examples: ['sim-flash'] }),
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
