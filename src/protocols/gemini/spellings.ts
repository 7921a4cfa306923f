// Both spellings of a field, for reading a request as it was sent: the provider takes camelCase and snake_case alike.
import { type Json, type JsonObject, refusal } from '../wire/json.ts'

/** A field in either spelling, as it was written. */
export interface Found {
  readonly name: string
  readonly value: Json
}

/**
 * Looks a field up in both of its spellings.
 * @param owner the object's place in the request, for the error; empty at the top
 * @returns undefined if the field is absent or null, which the provider reads as absent
 * @throws GatewayError invalid_request if both spellings are sent: one of them would not be priced
 */
export function find(object: JsonObject, camel: string, snake: string, owner: string): Found | undefined {
  const camel_value = object[camel] ?? undefined
  const snake_value = object[snake] ?? undefined
  if (snake_value === undefined)
    return camel_value === undefined ? undefined : { name: camel, value: camel_value }
  if (camel_value !== undefined)
    throw refusal(join(owner, camel), `is given twice, as ${camel} and as ${snake}; send one of them.`)
  return { name: snake, value: snake_value }
}

/** `owner.name`, or the name alone at the top. */
export function join(owner: string, name: string): string {
  return owner === '' ? name : `${owner}.${name}`
}
