// Owns the one spelling that translations read: the vendor takes camelCase and snake_case alike.
import { type JsonObject, refusal } from '../wire/json.ts'

const camelOf = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/**
 * An object of the vendor's own with its fields in camelCase. Not for what callers name themselves: arguments, schemas.
 * @param path the object's place; empty for the request itself
 * @throws GatewayError invalid_request where both spellings of a field are given
 */
export function camelCased(object: JsonObject, path: string): JsonObject {
  const read: JsonObject = {}
  for (const [name, value] of Object.entries(object)) {
    const camel = camelOf(name)
    if (camel in read) throw refusal(path === '' ? camel : `${path}.${camel}`, 'is given twice; send one.')
    read[camel] = value
  }
  return read
}
