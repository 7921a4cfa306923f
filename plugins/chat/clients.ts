// The streams and errors that vendors' AI SDK packages, recognized by their User-Agent, expect of chat completions.
import type { Dialect } from '../../src/calls/kinds/text/dialect.ts'
import type { RenderError } from '../../src/http/answers.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { type ByteString, decodeByteString, toByteString } from '../../src/protocols/wire/byte-string.ts'
import { isObject, objectIn, parseObject } from '../../src/protocols/wire/json.ts'

/**
 * These packages read the usage of every stream but never request it, because their vendors always send it. Sources: requests and chunk
 * schemas of npm @ai-sdk/mistral 4.0.87, @ai-sdk/groq 4.0.84, @ai-sdk/perplexity 4.0.49 and @ai-sdk/xai 3.0.138. Their User-Agent has
 * `ai-sdk-mistral/…` since 5.0.75 of @ai-sdk/provider-utils, and `ai-sdk/mistral/…` before. Only streams have it: `generateText` of npm
 * ai 7.0.173 sends its own name.
 */
const agentPattern = (vendors: string): RegExp => new RegExp(String.raw`\bai-sdk[/-](?:${vendors})/`)
const EXPECTS_USAGE = agentPattern('mistral|groq|perplexity|xai')
const GROQ_AGENT = agentPattern('groq')
const MISTRAL_AGENT = agentPattern('mistral')
const PERPLEXITY_AGENT = agentPattern('perplexity')
/** A call for a whole answer by any vendor's package. It gets Mistral's fields, which the others ignore, but not Perplexity's numeric code. */
const UNKNOWN_VENDOR_AGENT = /^ai\/\S+ ai-sdk[/-]provider-utils\//
const USAGE = '"usage"'
const NO_CHOICE = /"choices"\s*:\s*\[\s*\]/

const agentOf = ({ headers }: Request): string => headers.get('user-agent') ?? ''

/** Returns the dialect of a client that expects usage without requesting it; undefined for others. @param with_usage the dialect that sends usage */
export function vendorDialect(request: Request, with_usage: Dialect): Dialect | undefined {
  const agent = agentOf(request)
  if (!EXPECTS_USAGE.test(agent)) return undefined
  if (GROQ_AGENT.test(agent)) return withEvents(with_usage, addGroqUsage)
  return MISTRAL_AGENT.test(agent) ? withEvents(with_usage, addChoice) : with_usage
}

/** Copies the usage of an event to `x_groq`, the only field that Groq's package reads: npm @ai-sdk/groq 4.0.84, groqChatChunkSchema. */
function addGroqUsage(data: string): string {
  if (!data.includes(USAGE)) return data
  const chunk = parseObject(data)
  if (!chunk || !isObject(chunk.usage)) return data
  return JSON.stringify({ ...chunk, x_groq: { ...objectIn(chunk.x_groq), usage: chunk.usage } })
}

/** Adds an empty choice to a chunk without choices, at which npm @ai-sdk/mistral 3.0.69 and 4.0.87 end the stream with a TypeError. */
function addChoice(data: string): string {
  if (!NO_CHOICE.test(data)) return data
  const chunk = parseObject(data)
  if (!Array.isArray(chunk?.choices) || chunk.choices.length > 0) return data
  return JSON.stringify({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: null }] })
}

/** Returns a dialect that changes the data of events, both passed through and translated. */
const withEvents = (dialect: Dialect, change: (data: string) => string): Dialect => ({
  ...dialect,
  frame: {
    ...dialect.frame,
    event: ({ event, data }, first) => dialect.frame.event({ event, data: change(data) }, first),
  },
  editEvent(data: ByteString) {
    if (!data.includes(USAGE) && !data.includes('"choices"')) return data
    const text = decodeByteString(data)
    const changed = change(text)
    return changed === text ? data : toByteString(Buffer.from(changed))
  },
})

/**
 * Renders an error in OpenAI's shape, with the fields that Mistral's and Perplexity's packages require; without them they show only the
 * status. Schemas: npm @ai-sdk/mistral 4.0.87 (mistralErrorDataSchema) and @ai-sdk/perplexity 4.0.49 (perplexityErrorSchema).
 */
export const renderChatError: RenderError = (error, request_id, request) => {
  const { status, body } = openai.renderError(error, request_id)
  const agent = request ? agentOf(request) : ''
  const openai_error = objectIn(body.error)
  if (MISTRAL_AGENT.test(agent) || UNKNOWN_VENDOR_AGENT.test(agent))
    return { status, body: { ...body, ...openai_error, object: 'error' } }
  if (PERPLEXITY_AGENT.test(agent))
    return { status, body: { ...body, error: { ...openai_error, code: status } } }
  return { status, body }
}
