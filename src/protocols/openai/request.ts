// The facts of a chat completion request that are needed before it is paid for: its size and its limits.
import type { Static } from '@sinclair/typebox'
import { invalidRequest } from '../../domain/errors.ts'
import { estimateTokens } from '../../domain/token-estimate.ts'
import { withModelAndStream } from '../body-fields.ts'
import { generationName, type NamedModel } from '../canonical/request.ts'
import { requestedTier } from '../extras.ts'
import { CONTEXT_LENGTH_EXCEEDED, type RequestFacts } from '../facts.ts'
import { Anything, Count, Fields, List, optional, readPresent } from '../forms.ts'
import { inputFacts } from '../input-bound.ts'
import { jsonTokens, leastTokensIn, sumTokens } from '../token-sums.ts'
import { hasItems, type Json, type JsonObject, lookUp, objectIn, refusal, stringIn } from '../wire/json.ts'
import { computedOnce } from '../wire/known-values.ts'
import { requestBound } from './bound.ts'
import { generationOf } from './model.ts'
import { equivalentEffort } from './thinking-fields.ts'

const LIMIT_FIELDS = ['max_completion_tokens', 'max_tokens'] as const

/** The fields of a message that decide its size. */
const PricedMessage = Fields({
  content: Anything,
  tool_calls: Anything,
  function_call: Anything,
})
/** The fields that decide the price. */
const PricedRequest = Fields({
  messages: List(PricedMessage),
  tools: Anything,
  functions: Anything,
  response_format: Anything,
  max_completion_tokens: optional(Count),
  max_tokens: optional(Count),
  n: optional(Count),
})

/**
 * Reads the fields of a chat completion request that decide the price. The provider checks all others.
 * @throws GatewayError invalid_request for a missing conversation, limits that are not whole numbers, and a limit of 0, which servers
 * such as Ollama read as no limit
 */
export function readRequest(body: JsonObject): RequestFacts {
  const fields = readPresent(PricedRequest, body, '')
  const { messages, n: candidates = 1 } = fields
  if (messages.length === 0) throw refusal('messages', 'must not be empty.')
  if (candidates < 1) throw refusal('n', 'must be at least 1.')
  for (const field of LIMIT_FIELDS) if (fields[field] === 0) throw refusal(field, 'must be at least 1.')
  const text_tokens =
    sumTokens(messages, (message) => computedOnce(messageTokens, message)) +
    computedOnce(jsonTokens, fields.tools) +
    jsonTokens(fields.functions) +
    jsonTokens(fields.response_format)
  return {
    ...inputFacts(requestBound, body, text_tokens),
    max_output_tokens: largest(fields.max_completion_tokens, fields.max_tokens),
    candidates,
    service_tier: requestedTier(body, 'service_tier'),
    offers_tools: hasItems(body.tools) || hasItems(body.functions),
    stops: (body.stop ?? null) !== null,
    effort: stringIn(body.reasoning_effort) ?? equivalentEffort(body),
  }
}

/** The larger of two limits: each server may know only one of the two fields. */
const largest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)

/** Lowers the limit, in the caller's field, or else in the field that the model knows. */
export function limitOutput(body: JsonObject, max_output_tokens: number, target: NamedModel): JsonObject {
  const used = LIMIT_FIELDS.filter((field) => typeof body[field] === 'number')
  const fields: readonly string[] =
    used.length > 0 ? used : [generationOf(generationName(target)).limit_field]
  return { ...body, ...Object.fromEntries(fields.map((field) => [field, max_output_tokens])) }
}

/**
 * Sets the provider's model name. Streams request their usage: without it, only an estimate could be charged. The provider is told to
 * store nothing, because its store does not separate accounts.
 */
export function prepare(body: JsonObject, call: { model: string; streams: boolean }): JsonObject {
  const named = withModelAndStream(withoutStoring(body), call)
  if (!call.streams || showsUsage(body)) return named
  return { ...named, stream_options: { ...objectIn(body.stream_options), include_usage: true } }
}

const withoutStoring = (body: JsonObject): JsonObject =>
  (body.store ?? false) === false ? body : { ...body, store: false }

/** Whether the caller requested the usage of a stream; if not, they do not get the chunk with it. */
export const showsUsage = (body: JsonObject): boolean => objectIn(body.stream_options).include_usage === true

const PART_TOKENS: Readonly<Record<string, (part: JsonObject) => number>> = {
  text: ({ text }) => estimateTokens(stringIn(text) ?? ''),
  image_url: () => 0,
  input_audio: () => 0,
  file: () => 0,
  video_url: () => 0,
  audio_url: () => 0,
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

export const leastTokens = leastTokensIn(['messages'], ['transforms', 'plugins'])

/** Clients search for the code, or for these words. */
export const promptTooLong = (tokens: number, context: number) =>
  tooLong(tokens, context, { param: 'messages', have: 'your messages have', them: 'them' })

/** The error for responses: https://github.com/dyad-sh/dyad/issues/1672 has OpenAI's own. */
export const inputTooLong = (tokens: number, context: number) =>
  tooLong(tokens, context, { param: 'input', have: 'your input has', them: 'it' })

const tooLong = (
  tokens: number,
  context: number,
  { param, have, them }: { param: string; have: string; them: string },
) =>
  invalidRequest(
    `This model's maximum context length is ${context} tokens. However, ${have} at least ${tokens} tokens. Please shorten ${them}.`,
    { code: CONTEXT_LENGTH_EXCEEDED, param },
  )
