// The facts of a native request that are needed before it is paid for: its size and its limits.
import { invalidRequest } from '../../domain/errors.ts'
import { estimateTokens } from '../../domain/token-estimate.ts'
import type { InputField } from '../../domain/usage.ts'
import { requestedTier } from '../extras.ts'
import type { RequestFacts } from '../facts.ts'
import { inputFacts } from '../input-bound.ts'
import { jsonTokens, leastTokensIn, sumTokens } from '../token-sums.ts'
import { hasItems, isObject, type Json, type JsonObject, refusal } from '../wire/json.ts'
import { computedOnce } from '../wire/known-values.ts'
import { inlineTokens, requestBound } from './bound.ts'
import { camelCased, type Field, fieldIn, pathOf } from './spellings.ts'

/** The gateway does not see cached content. This is the smallest that Gemini caches: https://ai.google.dev/gemini-api/docs/caching. */
const CACHED_CONTENT_TOKENS = 4_096

/**
 * Reads the fields of :generateContent and :streamGenerateContent that decide the price. The provider checks all others.
 * @throws GatewayError invalid_request that names the field
 */
export function readRequest(body: JsonObject): RequestFacts {
  const limits = readLimits(body)
  const cached_content = cachedContentOf(body)
  const text_tokens =
    contentsTokens(body.contents) +
    systemTokens(body) +
    computedOnce(jsonTokens, body.tools) +
    jsonTokens(limits.schema?.value) +
    (cached_content === undefined ? 0 : CACHED_CONTENT_TOKENS)
  return {
    ...inputFacts(requestBound, body, text_tokens),
    max_output_tokens: limits.max_output_tokens,
    candidates: limits.candidates,
    offers_tools: hasItems(body.tools),
    stops: limits.stops,
    cached_content,
    service_tier: requestedTier(body, 'serviceTier', 'service_tier'),
    input_fields: hasSound(body.contents) ? SOUND_FIELDS : TEXT_FIELDS,
  }
}

/** Gemini caches automatically and does not charge cache writes; audio has its own rate. */
const TEXT_FIELDS: readonly InputField[] = ['input_tokens', 'cache_read_tokens']
const SOUND_FIELDS: readonly InputField[] = [...TEXT_FIELDS, 'input_audio_tokens']

const hasSound = (contents: Json | undefined): boolean =>
  Array.isArray(contents) && contents.some(hasSoundInParts)

const hasSoundInParts = (holder: Json | undefined): boolean => isObject(holder) && hasSoundPart(holder.parts)

const hasSoundPart = (parts: Json | undefined): boolean =>
  Array.isArray(parts) ? parts.some(isSound) : isSound(parts)

/** Audio or a video, whose sound is billed as audio. A file of unknown type may be either. */
function isSound(part: Json | undefined): boolean {
  if (!isObject(part)) return false
  const media = part.inlineData ?? part.inline_data ?? part.fileData ?? part.file_data
  if (!isObject(media)) return hasSoundInParts(part.functionResponse ?? part.function_response)
  const mime = media.mimeType ?? media.mime_type
  return typeof mime !== 'string' || /^(?:audio|video)\//i.test(mime)
}

/**
 * Normalises a request for all servers of the protocol: generationConfig in camelCase, because some servers do not know snake_case, and
 * no model, because the address names it.
 */
export function prepare(body: JsonObject): JsonObject {
  const config = findConfig(body)
  const in_snake_case = config && (config.name === 'generation_config' || hasUnderscore(config.value))
  if (!in_snake_case && body.model === undefined) return body
  const { model: _, generation_config: __, ...rest } = body
  return config ? { ...rest, generationConfig: camelCased(config.value, config.name) } : rest
}

function hasUnderscore(config: JsonObject): boolean {
  for (const name in config) if (name.includes('_')) return true
  return false
}

/** Lowers maxOutputTokens, in the caller's spelling; the thinking budget stays. */
export function limitOutput(body: JsonObject, max_output_tokens: number): JsonObject {
  const config = findConfig(body) ?? { name: 'generationConfig', value: {} }
  const field = fieldIn(config.value, 'maxOutputTokens', 'max_output_tokens', config.name)
  return {
    ...body,
    [config.name]: { ...config.value, [field?.name ?? 'maxOutputTokens']: max_output_tokens },
  }
}

function contentsTokens(contents: Json | undefined): number {
  if (!Array.isArray(contents) || contents.length === 0)
    throw refusal('contents', 'must be an array that is not empty.')
  return sumTokens(contents, contentTokensAt)
}

const contentTokensAt = (content: Json, index: number): number =>
  computedOnce(contentTokens, content, `contents[${index}]`)

function systemTokens(body: JsonObject): number {
  const found = fieldIn(body, 'systemInstruction', 'system_instruction', '')
  if (found === undefined) return 0
  return typeof found.value === 'string'
    ? estimateTokens(found.value)
    : computedOnce(contentTokens, found.value, found.name)
}

function contentTokens(content: Json, path: string): number {
  if (!isObject(content)) throw refusal(path, 'must be an object with parts.')
  return partsTokens(content.parts, path)
}

/**
 * Counts parts. A single part in place of the array is accepted, as the provider does. Most parts are text, for which no path is built.
 * @param owner the path of the object with the parts
 */
function partsTokens(parts: Json | undefined, owner: string): number {
  if (!Array.isArray(parts)) {
    if (!isObject(parts)) throw refusal(pathOf(owner, 'parts'), 'must be an array of parts.')
    return plainTokens(parts) ?? partTokens(parts, pathOf(owner, 'parts'))
  }
  let tokens = 0
  let index = 0
  for (const part of parts) {
    tokens += plainTokens(part) ?? partTokens(part, `${owner}.parts[${index}]`)
    index++
  }
  return tokens
}

/** The tokens of a text part; undefined for any other. */
const plainTokens = (part: Json): number | undefined =>
  isObject(part) && typeof part.text === 'string' ? estimateTokens(part.text) : undefined

function partTokens(part: Json, path: string): number {
  if (!isObject(part)) throw refusal(path, 'must be an object, such as {"text": "…"}.')
  if (part.text !== undefined && part.text !== null) throw refusal(pathOf(path, 'text'), 'must be a string.')
  const inline = findObject(part, 'inlineData', 'inline_data', path)
  if (inline) return inlineTokens(inline.value, inline.path)
  const file = findObject(part, 'fileData', 'file_data', path)
  if (file) return 0
  const response = findObject(part, 'functionResponse', 'function_response', path)
  if (response) return functionResponseTokens(response.value, response.path)
  return jsonTokens(part)
}

function functionResponseTokens(response: JsonObject, path: string): number {
  const { parts, ...rest } = response
  return jsonTokens(rest) + (parts === undefined ? 0 : partsTokens(parts, path))
}

/** The field that names a cached content, in the caller's spelling. */
function cachedContentOf(body: JsonObject): string | undefined {
  const found = fieldIn(body, 'cachedContent', 'cached_content', '')
  if (found === undefined) return undefined
  if (typeof found.value !== 'string') throw refusal(found.name, 'must be the name of a cached content.')
  return found.value === '' ? undefined : found.name
}

function findObject(
  part: JsonObject,
  camel: string,
  snake: string,
  owner: string,
): { path: string; value: JsonObject } | undefined {
  const found = fieldIn(part, camel, snake, owner)
  if (found === undefined) return undefined
  const path = pathOf(owner, found.name)
  if (!isObject(found.value)) throw refusal(path, 'must be an object.')
  return { path, value: found.value }
}

export const leastTokens = leastTokensIn(['systemInstruction', 'system_instruction', 'contents'])

/** Clients search for these words. */
export const promptTooLong = (tokens: number, context: number) =>
  invalidRequest(
    `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${context}).`,
    { param: 'contents' },
  )

interface GenerationLimits {
  readonly max_output_tokens: number | undefined
  readonly candidates: number
  /** A schema for the answer. The model reads it, so it counts as input. */
  readonly schema: Field | undefined
  readonly stops: boolean
}

const NO_LIMITS: GenerationLimits = {
  max_output_tokens: undefined,
  candidates: 1,
  schema: undefined,
  stops: false,
}

/** generationConfig in either spelling; undefined if absent. */
function findConfig(body: JsonObject): { name: string; value: JsonObject } | undefined {
  const found = fieldIn(body, 'generationConfig', 'generation_config', '')
  if (found === undefined) return undefined
  if (!isObject(found.value)) throw refusal(found.name, 'must be an object.')
  return { name: found.name, value: found.value }
}

/**
 * Reads the limits for the quote.
 * @throws GatewayError invalid_request for a limit that is not a positive integer, or a thinking budget below -1
 */
function readLimits(body: JsonObject): GenerationLimits {
  const config = findConfig(body)
  if (config === undefined) return NO_LIMITS
  const { name: owner, value } = config
  checkThinking(value, owner)
  return {
    max_output_tokens: integer(fieldIn(value, 'maxOutputTokens', 'max_output_tokens', owner), owner, 1),
    candidates: integer(fieldIn(value, 'candidateCount', 'candidate_count', owner), owner, 1) ?? 1,
    schema:
      fieldIn(value, 'responseSchema', 'response_schema', owner) ??
      fieldIn(value, 'responseJsonSchema', 'response_json_schema', owner),
    stops: hasItems(fieldIn(value, 'stopSequences', 'stop_sequences', owner)?.value),
  }
}

function checkThinking(config: JsonObject, owner: string): void {
  const found = fieldIn(config, 'thinkingConfig', 'thinking_config', owner)
  if (found === undefined) return
  const path = pathOf(owner, found.name)
  if (!isObject(found.value)) throw refusal(path, 'must be an object.')
  integer(fieldIn(found.value, 'thinkingBudget', 'thinking_budget', path), path, -1)
}

function integer(found: Field | undefined, owner: string, minimum: number): number | undefined {
  if (found === undefined) return undefined
  const { name, value } = found
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < minimum)
    throw refusal(pathOf(owner, name), `must be a whole number, ${minimum} or more.`)
  return value
}
