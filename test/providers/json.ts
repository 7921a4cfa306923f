// Lenient readers of callers' JSON; the simulator shares none with the gateway that it tests.

export type JsonObject = { [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value if it is an object, else an empty one. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The value as a list; a single object counts as a list of one, as in Google's JSON parser. */
export function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return isObject(value) ? [value] : []
}

/** A field under the first of its spellings that is set. */
export function pick(object: JsonObject, ...names: string[]): unknown {
  for (const name of names) if (object[name] !== undefined && object[name] !== null) return object[name]
  return undefined
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
