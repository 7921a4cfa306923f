// Provider failures in all protocols: recognition, messages, Google's error details, and too long prompts.

import { CONTEXT_LENGTH_EXCEEDED, type TooLongFigures, type UpstreamFailure } from './facts.ts'
import { type JsonObject, objectIn, objectsIn, parseJson, parseObject, stringIn } from './wire/json.ts'
import { boundedWait } from './wire/retry-after.ts'

/** Google's error object, which streams send in an array; empty if the body has none. */
export function readGoogleError(body: string): JsonObject {
  const parsed = parseJson(body)
  return objectIn(objectIn(Array.isArray(parsed) ? parsed[0] : parsed).error)
}

/**
 * Google answers 400 to a wrong or expired key, to a key that its country or billing excludes, and to a project that may not use
 * the model: https://github.com/yym68686/uni-api/issues/41.
 */
export function refusesKey({ status, details }: JsonObject): boolean {
  if (status === 'FAILED_PRECONDITION') return true
  return objectsIn(details).some(({ reason }) => stringIn(reason)?.startsWith('API_KEY_'))
}

/** Reads google.rpc.RetryInfo: a duration such as `47s` or `3.2s`. */
export function retryDelay({ details }: JsonObject): number | undefined {
  for (const { retryDelay } of objectsIn(details)) {
    const match = typeof retryDelay === 'string' ? /^(\d{1,6}(?:\.\d+)?)s$/.exec(retryDelay) : null
    if (match) return boundedWait(Number(match[1]))
  }
  return undefined
}

/**
 * Proxies and servers of open models pass on messages of other providers, so all protocols share this list. In order: Anthropic (two
 * patterns), Gemini, OpenAI and vLLM, OpenAI's responses, xAI, Mistral, llama.cpp, Bedrock.
 */
const TOO_LONG_MESSAGES: readonly RegExp[] = [
  /prompt is too long(?:: (?<tokens>\d+) tokens > (?<context>\d+))?/i,
  /input length and `?max_tokens`? exceed context limit(?:: (?<tokens>\d+) \+ (?<output>\d+) > (?<context>\d+))?/i,
  /input token count(?: \(?(?<tokens>\d+)\)?)? exceeds the maximum(?: number of tokens allowed \(?(?<context>\d+))?/i,
  /maximum context length is (?<context>\d+)(?: tokens\b[^\d]{0,80}(?<tokens>\d+))?/i,
  /exceeds the context window/i,
  /maximum prompt length is (?<context>\d+)(?: but the request contains (?<tokens>\d+))?/i,
  /prompt contains (?<tokens>\d+) tokens.{0,120}? (?<context>\d+) maximum context length/i,
  /request(?: \((?<tokens>\d+) tokens\))? exceeds the available context size(?: \((?<context>\d+))?/i,
  /input is too long for requested model/i,
]

/** The figures in a message about a too long prompt; undefined for any other message. */
export function readTooLong(message: string): TooLongFigures | undefined {
  for (const words of TOO_LONG_MESSAGES) {
    const groups = words.exec(message)?.groups
    if (groups === undefined && !words.test(message)) continue
    const { tokens, output, context } = groups ?? {}
    return { tokens: sumOf(tokens, output), context: context === undefined ? undefined : Number(context) }
  }
  return undefined
}

const sumOf = (tokens: string | undefined, output = '0'): number | undefined =>
  tokens === undefined ? undefined : Number(tokens) + Number(output)

/**
 * Recognises a failure that means a too long prompt: by its code under any status, by its message only if the request is at fault.
 * @param code the provider's error code
 */
export function classifyTooLong(failure: UpstreamFailure, code?: string): UpstreamFailure {
  const has_code = code === CONTEXT_LENGTH_EXCEEDED
  if (!has_code && failure.failure_class !== 'bad_request') return failure
  const too_long = readTooLong(failure.message) ?? (has_code ? {} : undefined)
  if (!too_long) return failure
  return { ...failure, failure_class: 'bad_request', code: CONTEXT_LENGTH_EXCEEDED, too_long: too_long }
}

/**
 * Whether a body reports an error in any known form: proxies use each other's, with `error` as a field, as the type, or as the object
 * (vLLM). A failed response may have no error object.
 */
export const reportsError = ({ type, object, error, status }: JsonObject): boolean =>
  type === 'error' || object === 'error' || status === 'failed' || !NO_ERRORS.has(error)
/** Some servers write the field in successful answers, too. */
const NO_ERRORS: ReadonlySet<unknown> = new Set([undefined, null, false, ''])

/** For a body without an error in the protocol's format, such as a proxy's HTML. */
const MAX_MESSAGE_CHARS = 2_000

/** @param own_message the message of the provider's error; undefined if the body has none in the protocol's format */
export function refusalMessage(own_message: string | undefined, status: number, body: string): string {
  const message = own_message ?? plainMessage(parseObject(body) ?? {}) ?? body.slice(0, MAX_MESSAGE_CHARS)
  return message === '' ? `The provider answered with status ${status} and no message.` : message
}

/**
 * Reads errors of layers in front of a server, which have formats of their own: AWS in front of Bedrock
 * (https://github.com/ai4s-research/open-science/issues/53 `Message`, https://github.com/aws-samples/agents4energy/issues/166 `message`),
 * FastAPI (https://github.com/continuedev/continue/issues/2242 `detail`).
 */
export function plainMessage({ message, Message, detail, msg, error_msg }: JsonObject): string | undefined {
  return [message, Message, detail, msg, error_msg]
    .map(stringIn)
    .find((text) => text !== undefined && text !== '')
}
