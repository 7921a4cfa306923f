// The name of the model in a provider's answer: the caller's own in the body, the provider's in a header.

import type { SpendLeft } from '../../domain/budgets.ts'
import { type Identified, idHeaders } from '../../http/answers.ts'
import { type ByteString, toByteString } from '../../protocols/wire/byte-string.ts'
import { type Place, placeInEach, placeOfString } from '../../protocols/wire/json-place.ts'
import { spendHeaders } from './spend-headers.ts'

const UPSTREAM_MODEL = 'x-tollgate-upstream-model'

/** @param upstream_model is written in the characters that a header may have */
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

/** The last of them alone, for answers that get the others elsewhere. */
export const upstreamModelHeader = (upstream_model: string): Record<string, string> => ({
  [UPSTREAM_MODEL]: encodeURI(upstream_model),
})

/**
 * The suffix of a version in a model's name: `gpt-5-2025-08-07`, `claude-haiku-4-5-20251001`,
 * `claude-opus-4@20250514`, `gpt-4-0613`, `gemini-2.0-flash-001`, `…-preview-09-2025`.
 */
const VERSION = /^[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{2}-\d{4}|\d{2}-\d{2}|\d{3,4})$/

/** Whether a name is that of a model, or of a version of it. */
const names = (name: string, requested: string): boolean =>
  name === requested || (name.startsWith(requested) && VERSION.test(name.slice(requested.length)))

/** The name in a translated answer. @param answered the provider's, where its answer has one */
export const modelNameForCaller = (
  answered: string | undefined,
  { requested, upstream_model }: { requested: string; upstream_model: string },
): string | undefined =>
  answered === undefined || upstream_model === requested || names(answered, requested) ? answered : requested

/** Puts the requested name into an answer; unchanged where it has that, or a version's. */
type Rename = (json: ByteString) => ByteString

/** Renames whole answers. @param requested the model as the caller calls it @param path the keys that lead to the name */
export const renameTo = (requested: string, path: readonly string[]): Rename =>
  renameAt(requested, (json) => placeOfString(json, path))

/** Renames the events of one stream. @param once no event has a name after the first that has one */
export function renameEach(requested: string, path: readonly string[], once = false): Rename {
  const find = placeInEach(path)
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

/** The bytes of a whole answer, renamed. */
export function renameBytes(bytes: Uint8Array<ArrayBuffer>, rename: Rename): Uint8Array<ArrayBuffer> {
  const json = toByteString(bytes)
  const left = rename(json)
  return left === json ? bytes : Buffer.from(left, 'latin1')
}
