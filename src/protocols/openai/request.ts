// The facts of a chat completion request that must be known before it is paid for: its size and its limits.

import type { Static } from '@sinclair/typebox'
import { estimateTokens, INPUT_IMAGE_TOKENS } from '../../domain/token-estimate.ts'
import type { RequestFacts } from '../facts.ts'
import {
  Anything,
  Count,
  Fields,
  Flag,
  List,
  optional,
  readPresent,
  Text,
  type Unchecked,
  uncheckedIn,
} from '../forms.ts'
import { withModelAndStream } from '../model-and-stream.ts'
import { jsonTokens, sumTokens } from '../token-sums.ts'
import { type Json, type JsonObject, lookUp, objectIn, refusal, stringIn } from '../wire/json.ts'
import { workedOut } from '../wire/known-values.ts'
import { generationOf } from './model.ts'

const LIMIT_FIELDS = ['max_completion_tokens', 'max_tokens'] as const

/** A message, as far as its size depends on it. */
export const PricedMessage = Fields({
  content: Anything,
  tool_calls: Anything,
  function_call: Anything,
})
/** What the price depends on. */
export const PricedRequest = Fields({
  messages: List(PricedMessage),
  tools: Anything,
  functions: Anything,
  response_format: Anything,
  max_completion_tokens: optional(Count),
  max_tokens: optional(Count),
  n: optional(Count),
})
export const StreamOptions = Fields({ include_usage: optional(Flag) })

/** A part of a message's content, as far as its size depends on it. */
export const PricedAudio = Fields({ data: optional(Text) })
export const PricedFile = Fields({ file_data: optional(Text) })
export const PricedPart = Fields({
  type: Text,
  text: optional(Text),
  input_audio: optional(PricedAudio),
  file: optional(PricedFile),
})

/**
 * Reads a chat completion request. What does not decide the price is not looked at: the provider judges it.
 * @throws GatewayError invalid_request for a missing conversation, limits that are no counts, and a limit of 0, which servers
 * such as Ollama take for none
 */
export function readRequest(body: JsonObject): RequestFacts {
  const asked = readPresent(PricedRequest, body, '')
  const { messages, n: candidates = 1 } = asked
  if (messages.length === 0) throw refusal('messages', 'must not be empty.')
  if (candidates < 1) throw refusal('n', 'must be at least 1.')
  for (const field of LIMIT_FIELDS) if (asked[field] === 0) throw refusal(field, 'must be at least 1.')
  return {
    input_tokens:
      sumTokens(messages, (message) => workedOut(messageTokens, message)) +
      workedOut(jsonTokens, asked.tools) +
      jsonTokens(asked.functions) +
      jsonTokens(asked.response_format),
    max_output_tokens: largest(asked.max_completion_tokens, asked.max_tokens),
    candidates,
  }
}

/** The larger of two limits: servers differ in which of the two fields they know. */
const largest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)

/**
 * The same request with its limit lowered, in the fields that the caller used, or else in the one that the model knows.
 */
export function limitOutput(body: JsonObject, max_output_tokens: number): JsonObject {
  const used = LIMIT_FIELDS.filter((field) => typeof body[field] === 'number')
  const fields: readonly string[] =
    used.length > 0 ? used : [generationOf(stringIn(body.model) ?? '').limit_field]
  return { ...body, ...Object.fromEntries(fields.map((field) => [field, max_output_tokens])) }
}

/**
 * The same request with the provider's own name of the model. A stream is asked for its usage: without it, only an
 * estimate could be charged. The provider is to keep nothing: what it keeps is not kept apart by account.
 */
export function prepare(body: JsonObject, call: { model: string; streams: boolean }): JsonObject {
  const named = withModelAndStream(unstored(body), call)
  if (!call.streams || showsUsage(body)) return named
  return { ...named, stream_options: { ...objectIn(body.stream_options), include_usage: true } }
}

const unstored = (body: JsonObject): JsonObject =>
  (body.store ?? false) === false ? body : { ...body, store: false }

/** Whether the caller asked for the usage of a stream: otherwise the chunk that reports it is kept from them. */
export const showsUsage = (body: JsonObject): boolean =>
  uncheckedIn<typeof StreamOptions>(body.stream_options).include_usage === true

/** Audio is read as 10 tokens a second; a second is taken as 16 kB (MP3 at 128 kbit/s). */
const AUDIO_BYTES_PER_TOKEN = 1_600
/** A file's page is read as text and as an image; a page is taken as 50 kB. */
const FILE_BYTES_PER_TOKEN = 20
/** The gateway does not see a file that is only referred to: it counts as a dozen pages. */
const UNSEEN_FILE_TOKENS = 32_768

const PART_TOKENS: Readonly<Record<string, (part: Unchecked<typeof PricedPart>) => number>> = {
  text: ({ text }) => estimateTokens(stringIn(text) ?? ''),
  image_url: () => INPUT_IMAGE_TOKENS,
  input_audio: ({ input_audio }) =>
    base64Tokens(uncheckedIn<typeof PricedAudio>(input_audio).data, AUDIO_BYTES_PER_TOKEN),
  file: ({ file }) =>
    base64Tokens(uncheckedIn<typeof PricedFile>(file).file_data, FILE_BYTES_PER_TOKEN) || UNSEEN_FILE_TOKENS,
}

const messageTokens = ({ content, tool_calls, function_call }: Static<typeof PricedMessage>): number =>
  contentTokens(content) + jsonTokens(tool_calls) + jsonTokens(function_call)

function contentTokens(content: Json | undefined): number {
  if (typeof content === 'string') return estimateTokens(content)
  if (!Array.isArray(content)) return 0
  return sumTokens(content, (item) => {
    const part = objectIn(item)
    return lookUp(PART_TOKENS, part.type)?.(part) ?? jsonTokens(part)
  })
}

const base64Tokens = (data: Json | undefined, bytes_per_token: number): number =>
  Math.ceil(((stringIn(data)?.length ?? 0) * 3) / 4 / bytes_per_token)
