// Message content as callers send it: one text, or a list of typed parts.
import { withCacheMark } from './caching.ts'
import type { MediaPart, TextPart } from './canonical/parts.ts'
import { eachOf, type Json, type JsonObject, oneOf, wantObject } from './wire/json.ts'

/** Readers by the type of a part. */
export type ContentReaders = Readonly<
  Record<string, (part: JsonObject, path: string) => TextPart | MediaPart>
>

/** Reads parts with their cache marks; none if the value is absent. @throws GatewayError invalid_request for an unknown type */
export function readContent(
  value: Json | undefined,
  path: string,
  readers: ContentReaders,
): (TextPart | MediaPart)[] {
  if (value === undefined || value === null || value === '') return []
  if (typeof value === 'string') return [{ kind: 'text', text: value }]
  return eachOf(value, path, (item, at) => {
    const part = wantObject(item, at)
    return withCacheMark(oneOf(readers, part.type, `${at}.type`)(part, at), part)
  })
}
