// A provider's refusal of a prompt that is too long: the words in which servers tell it, and the numbers in them.
import { CONTEXT_LENGTH_EXCEEDED, type TooLong, type UpstreamFailure } from './facts.ts'

/**
 * Servers of one protocol pass on the words of others: proxies do, and so do the servers of open models. As Anthropic (twice), Gemini, OpenAI
 * and vLLM, OpenAI's responses, xAI, Mistral, llama.cpp and Bedrock have them.
 */
const WORDS: readonly RegExp[] = [
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

/** @returns undefined for words of anything else */
export function readTooLong(message: string): TooLong | undefined {
  for (const words of WORDS) {
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
 * The failure, known as such a refusal where it is one: by its code whatever its status, by its words where the request is at fault.
 * @param code the provider's
 */
export function knownTooLong(failure: UpstreamFailure, code?: string): UpstreamFailure {
  const has_code = code === CONTEXT_LENGTH_EXCEEDED
  if (!has_code && failure.failure_class !== 'bad_request') return failure
  const too_long = readTooLong(failure.message) ?? (has_code ? {} : undefined)
  if (!too_long) return failure
  return { ...failure, failure_class: 'bad_request', code: CONTEXT_LENGTH_EXCEEDED, too_long: too_long }
}
