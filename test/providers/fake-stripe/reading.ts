// Strict parsing of request parameters for the fake Stripe: an unknown parameter is an error, as at Stripe.
import { invalid } from './errors.ts'
import type { Field, Fields } from './form.ts'

export const textOf = (fields: Fields, name: string): string | undefined => {
  const value = fields[name]
  if (value !== undefined && typeof value !== 'string')
    throw invalid(`Invalid string: ${name}`, { param: name })
  return value
}

export function requiredText(fields: Fields, name: string): string {
  const value = textOf(fields, name)
  if (value === undefined || value === '')
    throw invalid(`Missing required param: ${name}.`, { param: name, code: 'parameter_missing' })
  return value
}

export function wholeOf(fields: Fields, name: string): number {
  const value = requiredText(fields, name)
  if (!/^\d{1,12}$/.test(value))
    throw invalid(`Invalid integer: ${value}`, { param: name, code: 'parameter_invalid_integer' })
  return Number(value)
}

export function fieldsOf(fields: Fields, name: string): Fields {
  const value = fields[name] ?? {}
  if (typeof value === 'string' || Array.isArray(value))
    throw invalid(`Invalid object: ${name}`, { param: name })
  return value
}

export function listOf(fields: Fields, name: string): Field[] {
  const value = fields[name] ?? []
  if (!Array.isArray(value)) throw invalid(`Invalid array: ${name}`, { param: name })
  return value
}

/** @param known paths with a point between levels; one that ends in `.*` accepts any name below it */
export function expectOnly(fields: Fields, known: readonly string[]): void {
  for (const path of pathsIn(fields))
    if (!known.some((one) => one === path || (one.endsWith('.*') && path.startsWith(one.slice(0, -1)))))
      throw invalid(`Received unknown parameter: ${path}`, { param: path, code: 'parameter_unknown' })
}

function pathsIn(field: Field, path = ''): string[] {
  if (typeof field === 'string') return [path]
  if (Array.isArray(field)) return field.flatMap((one) => pathsIn(one, path))
  return Object.entries(field).flatMap(([name, value]) =>
    pathsIn(value, path === '' ? name : `${path}.${name}`),
  )
}

export function metadataOf(fields: Fields): Record<string, string> {
  const metadata = fieldsOf(fields, 'metadata')
  for (const [name, value] of Object.entries(metadata))
    if (typeof value !== 'string' || name.length > 40 || value.length > 500)
      throw invalid(`Metadata is too long or no text: ${name}`, { param: 'metadata' })
  return metadata as Record<string, string>
}
