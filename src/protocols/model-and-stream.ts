// The two top-level fields that say which model is called and whether it streams, for protocols that say both in the body.
import type { JsonObject } from './wire/json.ts'

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
