// The model's name in a provider's answer: the caller's in the body, the provider's in a header.

import type { SpendLeft } from '../../domain/budgets.ts'
import { type Identified, idHeaders } from '../../http/answers.ts'
import { type ByteString, toByteString } from '../../protocols/wire/byte-string.ts'
import { createStringFinder, type Place, placeOfString } from '../../protocols/wire/json-place.ts'
import { spendHeaders } from './spend-headers.ts'

const UPSTREAM_MODEL = 'x-tollgate-upstream-model'

/** @param upstream_model is encoded with the characters that a header allows */
export function servedHeaders(
  { origin, spend_left }: { origin: Identified; spend_left?: SpendLeft | undefined },
  content_type: string,
  upstream_model: string,
): Record<string, string> {
  const headers = idHeaders(origin)
  headers['content-type'] = content_type
  headers[UPSTREAM_MODEL] = encodeURI(upstream_model)
  return spend_left ? Object.assign(headers, spendHeaders(spend_left)) : headers
}

/** Returns only the last of these headers, for answers that get the others elsewhere. */
export const upstreamModelHeader = (upstream_model: string): Record<string, string> => ({
  [UPSTREAM_MODEL]: encodeURI(upstream_model),
})

/**
 * The version suffix of a model's name: `gpt-5-2025-08-07`, `claude-haiku-4-5-20251001`,
 * `claude-opus-4@20250514`, `gpt-4-0613`, `gemini-2.0-flash-001`, `…-preview-09-2025`.
 */
const VERSION = /^[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{2}-\d{4}|\d{2}-\d{2}|\d{3,4})$/

/** Whether a name is the requested model's, or a version's of it. */
const names = (name: string, requested: string): boolean =>
  name === requested || (name.startsWith(requested) && VERSION.test(name.slice(requested.length)))

/** Returns the name for a translated answer. @param answered the provider's name, if its answer has one */
export const modelNameForCaller = (
  answered: string | undefined,
  { requested, upstream_model }: { requested: string; upstream_model: string },
): string | undefined =>
  answered === undefined || upstream_model === requested || names(answered, requested) ? answered : requested

/** Writes the requested name into an answer, unless it has that name or a version of it. */
type Rename = (json: ByteString) => ByteString

/** Creates a renaming of whole answers. @param requested the caller's name of the model @param path the keys that lead to the name */
export const renameTo = (requested: string, path: readonly string[]): Rename =>
  renameAt(requested, (json) => placeOfString(json, path))

/** Creates a renaming of one stream's events. @param once whether at most one event has a name, so that the search ends with it */
export function renameEach(requested: string, path: readonly string[], once = false): Rename {
  const find = createStringFinder(path)
  let is_over = false
  return renameAt(requested, (json) => {
    if (is_over) return undefined
    const place = find(json)
    is_over = once && place !== undefined
    return place
  })
}

function renameAt(requested: string, find: (json: ByteString) => Place | undefined): Rename {
  const name = toByteString(Buffer.from(JSON.stringify(requested).slice(1, -1)))
  return (json) => {
    const place = find(json)
    if (!place) return json
    if (names(json.slice(place.start, place.end), name)) return json
    return json.slice(0, place.start) + name + json.slice(place.end)
  }
}

/** Renames the bytes of a whole answer. */
export function renameBytes(bytes: Uint8Array<ArrayBuffer>, rename: Rename): Uint8Array<ArrayBuffer> {
  const json = toByteString(bytes)
  const result = rename(json)
  return result === json ? bytes : Buffer.from(result, 'latin1')
}
