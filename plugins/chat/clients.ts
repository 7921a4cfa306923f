// Vendors' own AI SDK packages, known by their User-Agent, and the streams and errors that they expect of chat completions.
import type { Dialect } from '../../src/calls/kinds/text/dialect.ts'
import type { RenderError } from '../../src/http/answers.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { type ByteString, decodeByteString, toByteString } from '../../src/protocols/wire/byte-string.ts'
import { isObject, objectIn, parseObject } from '../../src/protocols/wire/json.ts'

/**
 * They read the usage of every stream and ask for none, because their vendors send it unasked: the requests and chunk schemas of
 * npm @ai-sdk/mistral 4.0.87, @ai-sdk/groq 4.0.84, @ai-sdk/perplexity 4.0.49 and @ai-sdk/xai 3.0.138. Since 5.0.75 of
 * @ai-sdk/provider-utils they are called `ai-sdk-mistral/…`, and before `ai-sdk/mistral/…`. Only their streams have that name: `generateText`
 * of npm ai 7.0.173 puts its own in its place.
 */
const nameOf = (vendors: string): RegExp => new RegExp(String.raw`\bai-sdk[/-](?:${vendors})/`)
const EXPECTS_USAGE = nameOf('mistral|groq|perplexity|xai')
const IS_GROQS = nameOf('groq')
const IS_MISTRALS = nameOf('mistral')
const IS_PERPLEXITYS = nameOf('perplexity')
/** Calls of any vendor's package for a whole answer: they ignore Mistral's fields, and Perplexity's number would take the code's place. */
const NAMES_NO_VENDOR = /^ai\/\S+ ai-sdk[/-]provider-utils\//
const USAGE = '"usage"'
const NO_CHOICE = /"choices"\s*:\s*\[\s*\]/

const agentOf = ({ headers }: Request): string => headers.get('user-agent') ?? ''

/** The dialect of a client that reads a usage which it does not ask for; undefined for all others. @param shows that of who asks for it */
export function vendorsDialect(request: Request, shows: Dialect): Dialect | undefined {
  const agent = agentOf(request)
  if (!EXPECTS_USAGE.test(agent)) return undefined
  if (IS_GROQS.test(agent)) return withEvents(shows, withGroqs)
  return IS_MISTRALS.test(agent) ? withEvents(shows, withChoice) : shows
}

/** The data of an event with its usage in Groq's place, too, which is the only one that is read: npm @ai-sdk/groq 4.0.84, groqChatChunkSchema. */
function withGroqs(data: string): string {
  if (!data.includes(USAGE)) return data
  const chunk = parseObject(data)
  if (!chunk || !isObject(chunk.usage)) return data
  return JSON.stringify({ ...chunk, x_groq: { ...objectIn(chunk.x_groq), usage: chunk.usage } })
}

/** Mistral's usage comes with the last choice: npm @ai-sdk/mistral 3.0.69 and 4.0.87 end a stream with a TypeError at a chunk without any. */
function withChoice(data: string): string {
  if (!NO_CHOICE.test(data)) return data
  const chunk = parseObject(data)
  if (!Array.isArray(chunk?.choices) || chunk.choices.length > 0) return data
  return JSON.stringify({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: null }] })
}

/** A dialect whose events are changed, what passes through and what is translated. */
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
 * An error in OpenAI's shape, and where the vendor's own client reads another one, in that too: otherwise it says the status alone. Their
 * schemas: npm @ai-sdk/mistral 4.0.87 (mistralErrorDataSchema) and @ai-sdk/perplexity 4.0.49 (perplexityErrorSchema).
 */
export const renderChatError: RenderError = (error, request_id, request) => {
  const { status, body } = openai.renderError(error, request_id)
  const agent = request ? agentOf(request) : ''
  const written = objectIn(body.error)
  if (IS_MISTRALS.test(agent) || NAMES_NO_VENDOR.test(agent))
    return { status, body: { ...body, ...written, object: 'error' } }
  if (IS_PERPLEXITYS.test(agent)) return { status, body: { ...body, error: { ...written, code: status } } }
  return { status, body }
}
