// The top-level fields of a request's body that the gateway changes for a provider: model, stream, and what an operator drops.
import { isObject, type Json, type JsonObject } from './wire/json.ts'

/**
 * A request without some fields; the very same where it has none of them.
 * @param paths such as `store` or `messages.reasoning_content`; lists are gone through
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

/** The body with both fields as the provider is to read them; the very same object where they already are. */
export function withModelAndStream(
  body: JsonObject,
  { model, streams }: { model: string; streams: boolean },
): JsonObject {
  const changed: JsonObject = {}
  if (body.model !== model) changed.model = model
  if ((body.stream === true) !== streams) changed.stream = streams
  return Object.keys(changed).length === 0 ? body : { ...body, ...changed }
}
