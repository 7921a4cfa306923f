// The top-level fields of a body that the gateway changes for a provider: model, stream, and fields that the operator drops.
import { isObject, type Json, type JsonObject } from './wire/json.ts'

/**
 * Removes fields from a request; returns the same object if it has none of them.
 * @param paths such as `store` or `messages.reasoning_content`, which applies to every item of a list
 */
export const withoutFields = (body: JsonObject, paths: readonly string[]): JsonObject =>
  paths.reduce<JsonObject>((left, path) => objectWithout(left, path.split('.')), body)

function objectWithout(value: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject {
  const held = Object.hasOwn(value, name) ? value[name] : undefined
  if (held === undefined) return value
  if (rest.length === 0) return Object.fromEntries(Object.entries(value).filter(([each]) => each !== name))
  const left = valueWithout(held, rest)
  return left === held ? value : { ...value, [name]: left }
}

function valueWithout(value: Json, path: readonly string[]): Json {
  if (isObject(value)) return objectWithout(value, path)
  if (!Array.isArray(value)) return value
  const left = value.map((item) => valueWithout(item, path))
  return left.every((item, index) => item === value[index]) ? value : left
}

/** Sets both fields for the provider; returns the same object if they are already set. */
export function withModelAndStream(
  body: JsonObject,
  { model, streams }: { model: string; streams: boolean },
): JsonObject {
  const changed: JsonObject = {}
  if (body.model !== model) changed.model = model
  if ((body.stream === true) !== streams) changed.stream = streams
  return Object.keys(changed).length === 0 ? body : { ...body, ...changed }
}
