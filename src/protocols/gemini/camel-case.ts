// The one spelling that translations read: the provider takes camelCase and snake_case alike.
import type { Static, TObject } from '@sinclair/typebox'
import { type Present, readPresent } from '../forms.ts'
import { type Json, type JsonObject, refusal, wantObject } from '../wire/json.ts'

const camelOf = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/**
 * An object with its fields in camelCase. Not for objects with fields that callers name: arguments, schemas.
 * @param path the object's place; empty for the request itself
 * @throws GatewayError invalid_request if both spellings of a field are sent
 */
export function camelCased(object: JsonObject, path: string): JsonObject {
  const read: JsonObject = {}
  for (const [name, value] of Object.entries(object)) {
    const camel = camelOf(name)
    if (Object.hasOwn(read, camel))
      throw refusal(path === '' ? camel : `${path}.${camel}`, 'is given twice; send one of them.')
    read[camel] = value
  }
  return read
}

/** As readPresent, for an object in either spelling. */
export const readCamelCased = <F extends TObject>(
  form: F,
  value: Json | undefined,
  path: string,
): Present<Static<F>> => readPresent(form, camelCased(wantObject(value, path), path), path)
