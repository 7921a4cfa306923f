// The two spellings of a field: the provider accepts both camelCase and snake_case.

import type { Static, TObject } from '@sinclair/typebox'
import { type Present, readPresent } from '../forms.ts'
import { type Json, type JsonObject, refusal, wantObject } from '../wire/json.ts'

const camelOf = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/**
 * Converts an object's field names to camelCase. Not for objects whose field names callers choose: arguments, schemas.
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

/** A field in the spelling that was sent. */
export interface Field {
  readonly name: string
  readonly value: Json
}

/**
 * Finds a field in either spelling.
 * @param owner the object's place in the request, for the error; empty at the top
 * @returns undefined if the field is absent or null, which mean the same to the provider
 * @throws GatewayError invalid_request if both spellings are sent: one of them would not be priced
 */
export function fieldIn(object: JsonObject, camel: string, snake: string, owner: string): Field | undefined {
  const camel_value = object[camel] ?? undefined
  const snake_value = object[snake] ?? undefined
  if (snake_value === undefined)
    return camel_value === undefined ? undefined : { name: camel, value: camel_value }
  if (camel_value !== undefined)
    throw refusal(pathOf(owner, camel), `is given twice, as ${camel} and as ${snake}; send one of them.`)
  return { name: snake, value: snake_value }
}

/** `owner.name`, or the name alone at the top. */
export function pathOf(owner: string, name: string): string {
  return owner === '' ? name : `${owner}.${name}`
}
