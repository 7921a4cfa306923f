// Input bounds: the most tokens that all of a request can be read as, whatever its provider makes of fields that are unknown here.
import { boundText } from '../domain/token-bound.ts'
import { isObject, type Json, type JsonObject, lookUp } from './wire/json.ts'
import { workedOut } from './wire/known-values.ts'

/** The most tokens of a value, not rounded. */
export type Bound = (value: Json) => number

/** Brackets around a value, and around none; a comma, with the quotes beside it; a name's quotes and its colon. */
const BRACKETS_TOKENS = 1
const COMMA_TOKENS = 1
const NAME_TOKENS = 1

/** Everything in a value as text: names, and texts at any depth. */
export const boundAll: Bound = (value) => {
  if (typeof value === 'string') return boundText(value)
  if (typeof value === 'number') return boundText(String(value))
  if (typeof value !== 'object' || value === null) return 1
  return Array.isArray(value) ? boundItems(value, boundAll) : boundFields(value, NO_BOUNDS)
}

type Bounds = Readonly<Record<string, Bound>>
const NO_BOUNDS: Bounds = {}

function boundItems(items: readonly Json[], item: Bound): number {
  let tokens = BRACKETS_TOKENS
  for (const one of items) tokens += COMMA_TOKENS + item(one)
  return tokens
}

function boundFields(object: JsonObject, bounds: Bounds): number {
  let tokens = BRACKETS_TOKENS
  for (const name in object) {
    const bound = lookUp(bounds, name) ?? boundAll
    tokens += NAME_TOKENS + COMMA_TOKENS + boundText(name) + bound(object[name] ?? null)
  }
  return tokens
}

/** An object some of whose fields have bounds of their own; everything else is text. */
export const fields =
  (bounds: Bounds): Bound =>
  (value) =>
    isObject(value) ? boundFields(value, bounds) : boundAll(value)

/** A list, or a single one of its items. */
export const each =
  (item: Bound): Bound =>
  (value) =>
    Array.isArray(value) ? boundItems(value, item) : item(value)

/** An object by its type. @param otherwise for other types, and for values without one */
export const byType =
  (types: Bounds, otherwise: Bound = boundAll): Bound =>
  (value) =>
    (lookUp(types, isObject(value) ? value.type : undefined) ?? otherwise)(value)

/** The same, worked out only once for a value that comes again with every request of a conversation. */
export const once =
  (bound: Bound): Bound =>
  (value) =>
    workedOut(bound, value)

/** More than a bound. */
export const plus =
  (tokens: number, bound: Bound): Bound =>
  (value) =>
    tokens + bound(value)

/**
 * An image is scaled down to about 1,600 tokens with most of Claude's models (platform.claude.com, Vision). Others read images at a
 * higher resolution, or count patches: three times as many are held for.
 */
export const IMAGE_BOUND_TOKENS = 5_000

const ADDRESS_HEAD = /^[a-z][a-z0-9+.-]{1,30}:\/\//i
const isAddress = (text: string): boolean => ADDRESS_HEAD.test(text)
/** As much as of a file that is only referred to. */
const UNSEEN_MEDIUM_TOKENS = 32_768

/** Data URIs whose heads say that they are no texts. */
const IMAGE_HEAD = /^data:image\/[^,]{0,200};base64,/i
const MEDIUM_HEAD = /^data:(image|audio|video|application\/pdf)[^,]{0,200};base64,/i
/** No head of a data URI is longer. */
const MAX_HEAD_CHARS = 256

/** The data of a medium that is counted apart, where it stands as a data URI; an address, and the data of a text, are text. */
export const mediumUri =
  (count: (data: string) => number, head = MEDIUM_HEAD): Bound =>
  (value) =>
    typeof value === 'string' && head.test(value.slice(0, MAX_HEAD_CHARS)) ? count(value) : boundAll(value)

/** An image, by its data or its address: what holds them is counted besides. Other media in its place are longer: they are text. */
export const image: Bound = mediumUri(() => 0, IMAGE_HEAD)

/** A part of a type that is unknown here: where it has an address, it may be a medium that its provider fetches, such as a video. */
export const unknownPart: Bound = (part) =>
  boundAll(part) + (isObject(part) && hasAddress(part) ? UNSEEN_MEDIUM_TOKENS : 0)

function hasAddress(value: Json): boolean {
  if (typeof value === 'string') return isAddress(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasAddress)
}

/** Base64 of a medium that is counted apart, or in its place an address. @param count its tokens, by its characters */
export const mediumData =
  (count: (data: string) => number): Bound =>
  (value) => {
    if (typeof value !== 'string') return boundAll(value)
    return isAddress(value) ? UNSEEN_MEDIUM_TOKENS + boundAll(value) : count(value)
  }

/**
 * Signatures and encrypted reasoning: base64 of what a model thought, which counts only where a provider has issued it. A token is
 * four characters of it at least.
 */
const ENCRYPTED_CHARS_PER_TOKEN = 4
export const encrypted: Bound = mediumData((data) => data.length / ENCRYPTED_CHARS_PER_TOKEN)

/**
 * What a provider tells a model about tools, with room for newer models: 530 tokens for Claude 3 Opus, the most of those that are
 * published (docs.anthropic.com, "Tool use pricing and tokens"). As much is held for each tool that only the provider knows the text of.
 */
const TOOLS_TOKENS = 1_000
const OWN_TOOL_TYPES: ReadonlySet<Json | undefined> = new Set([undefined, null, 'custom', 'function'])

const boundTool: Bound = (tool) =>
  boundAll(tool) + (isObject(tool) && !OWN_TOOL_TYPES.has(tool.type) ? TOOLS_TOKENS : 0)

/** Tools and functions, with what their provider says of them. */
export const tools: Bound = once((value) =>
  Array.isArray(value) && value.length > 0 ? TOOLS_TOKENS + boundItems(value, boundTool) : boundAll(value),
)

/** Marks that a model reads at the begin and the end of each of several texts. */
const MARKS_TOKENS = 2
/** Texts that are read one by one. */
export const boundTexts = (request: Json, texts: number): number => boundAll(request) + texts * MARKS_TOKENS

/**
 * What is held for: never less than the estimate, which may be charged.
 * @param bound of the whole request, in tokens
 */
export const inputBound = (bound: number, estimated_tokens: number): number =>
  Math.max(Math.ceil(bound), estimated_tokens)
