// Owns how fields of the native protocol are read: the vendor's parser takes camelCase and snake_case alike, so we do too.

import { invalidRequest } from '../../domain/errors.ts'
import type { Json, JsonObject } from '../wire/json.ts'

/** A field under either spelling, as it was written. */
export interface Found {
  readonly name: string
  readonly value: Json
}

/**
 * Looks a field up under both of its spellings.
 * @param owner path of the object, for the error; empty at the top
 * @returns undefined where it is absent or null, which the vendor reads as absent
 * @throws GatewayError invalid_request when both spellings are given, since one of them would go unpriced
 */
export function find(object: JsonObject, camel: string, snake: string, owner: string): Found | undefined {
  const camel_value = object[camel] ?? undefined
  const snake_value = object[snake] ?? undefined
  if (snake_value === undefined) {
    return camel_value === undefined ? undefined : { name: camel, value: camel_value }
  }
  if (camel_value !== undefined) {
    const path = join(owner, camel)
    throw invalidRequest(`${path} is given twice, as ${camel} and as ${snake}. Send one of them.`, {
      param: path,
    })
  }
  return { name: snake, value: snake_value }
}

/** `owner.name`, or the name alone at the top. */
export function join(owner: string, name: string): string {
  return owner === '' ? name : `${owner}.${name}`
}

/** A refusal of one field, that names it and says what it must be. */
export function refuse(path: string, must: string): never {
  throw invalidRequest(`${path} ${must}.`, { param: path })
}
