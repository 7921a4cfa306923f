// Owns what a chat completion request asks for, as far as it must be known before it is paid: its size and its limits.

import { estimateTokens, INPUT_IMAGE_TOKENS } from '../../domain/token-estimate.ts'
import type { RequestFacts } from '../facts.ts'
import {
  type Json,
  type JsonObject,
  maybe,
  objectIn,
  refusal,
  stringIn,
  wantArray,
  wantCount,
  wantObject,
} from '../wire/json.ts'
import { generationOf } from './model.ts'

/**
 * Reads a chat completion request. What it does not price is not looked at: the vendor judges it.
 * @throws GatewayError invalid_request for a missing conversation, or limits that are no counts
 */
export function readRequest(body: JsonObject): RequestFacts {
  const messages = wantArray(body.messages, 'messages')
  if (messages.length === 0) throw refusal('messages', 'must not be empty.')
  const answers = maybe(wantCount, body.n, 'n') ?? 1
  if (answers < 1) throw refusal('n', 'must be at least 1.')
  return {
    input_tokens:
      sum(messages, (item, index) => messageTokens(wantObject(item, `messages[${index}]`))) +
      jsonTokens(body.tools) +
      jsonTokens(body.functions) +
      jsonTokens(body.response_format),
    max_output_tokens: largest(
      maybe(wantCount, body.max_completion_tokens, 'max_completion_tokens'),
      maybe(wantCount, body.max_tokens, 'max_tokens'),
    ),
    answers,
  }
}

/** Of two limits the larger, for servers differ in which one they know. */
const largest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)

/** The same request with its limit lowered, in the field that the caller used, or else that the model knows. */
export function limitOutput(body: JsonObject, max_output_tokens: number): JsonObject {
  const used = ['max_completion_tokens', 'max_tokens'].filter((field) => typeof body[field] === 'number')
  const fields = used.length > 0 ? used : [generationOf(stringIn(body.model) ?? '').limit_field]
  return { ...body, ...Object.fromEntries(fields.map((field) => [field, max_output_tokens])) }
}

/**
 * The same request under the provider's own name of the model; a stream is asked for its usage, without which it could
 * only be charged by an estimate.
 */
export function prepare(body: JsonObject, { model }: { model: string }): JsonObject {
  const named = body.model === model ? body : { ...body, model }
  if (body.stream !== true || showsUsage(body)) return named
  return { ...named, stream_options: { ...objectIn(body.stream_options), include_usage: true } }
}

/** Whether the caller himself asked for the usage of a stream: else the chunk that tells it is kept from him. */
export const showsUsage = (body: JsonObject): boolean => objectIn(body.stream_options).include_usage === true

/** Audio is read as 10 tokens a second; a second is taken for 16 kB (MP3 at 128 kbit/s). */
const AUDIO_BYTES_PER_TOKEN = 1_600
/** A file's page is read as text and as an image; a page is taken for 50 kB. */
const FILE_BYTES_PER_TOKEN = 20
/** A file that is only referred to is not seen: it counts as a dozen pages. */
const UNSEEN_FILE_TOKENS = 32_768

const PART_TOKENS: Readonly<Record<string, (part: JsonObject) => number>> = {
  text: ({ text }) => estimateTokens(stringIn(text) ?? ''),
  image_url: () => INPUT_IMAGE_TOKENS,
  input_audio: ({ input_audio }) => base64Tokens(objectIn(input_audio).data, AUDIO_BYTES_PER_TOKEN),
  file: ({ file }) => base64Tokens(objectIn(file).file_data, FILE_BYTES_PER_TOKEN) || UNSEEN_FILE_TOKENS,
}

function messageTokens({ content, ...rest }: JsonObject): number {
  return contentTokens(content) + jsonTokens(rest.tool_calls) + jsonTokens(rest.function_call)
}

function contentTokens(content: Json | undefined): number {
  if (typeof content === 'string') return estimateTokens(content)
  if (!Array.isArray(content)) return 0
  return sum(content, (item) => {
    const part = objectIn(item)
    return (PART_TOKENS[stringIn(part.type) ?? ''] ?? jsonTokens)(part)
  })
}

const base64Tokens = (data: Json | undefined, bytes_per_token: number): number =>
  Math.ceil(((stringIn(data)?.length ?? 0) * 3) / 4 / bytes_per_token)

const jsonTokens = (value: Json | undefined): number =>
  value === undefined || value === null ? 0 : estimateTokens(JSON.stringify(value))

const sum = (items: readonly Json[], tokens: (item: Json, index: number) => number): number =>
  items.reduce<number>((total, item, index) => total + tokens(item, index), 0)
