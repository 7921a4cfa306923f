// Vendors' own AI SDK packages, known by their User-Agent, and the streams and errors that they expect of chat completions.
import type { Dialect } from '../../src/exchange/text/dialect.ts'
import type { RenderError } from '../../src/http/answers.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { type ByteString, decodeByteString, toByteString } from '../../src/protocols/wire/byte-string.ts'
import { isObject, objectIn, parseObject } from '../../src/protocols/wire/json.ts'

/**
 * They read the usage of every stream and ask for none, because their vendors send it unasked: the requests and chunk schemas of
 * npm @ai-sdk/mistral 4.0.87, @ai-sdk/groq 4.0.84, @ai-sdk/perplexity 4.0.49 and @ai-sdk/xai 5.0.12.
 */
const EXPECTS_USAGE = /\bai-sdk\/(?:mistral|groq|perplexity|xai)\//
/** It reads the usage of a stream in `x_groq` alone: npm @ai-sdk/groq 4.0.84, groqChatChunkSchema. */
const EXPECTS_GROQS = /\bai-sdk\/groq\//
const USAGE = '"usage"'

const agentOf = ({ headers }: Request): string => headers.get('user-agent') ?? ''

/** Whether the client of a request reads a usage that it does not ask for. */
export const expectsUsage = (request: Request): boolean => EXPECTS_USAGE.test(agentOf(request))

/** Whether it reads that in Groq's place. */
export const expectsGroqs = (request: Request): boolean => EXPECTS_GROQS.test(agentOf(request))

/** The data of an event with its usage in Groq's place, too. */
function withGroqs(data: string): string {
  if (!data.includes(USAGE)) return data
  const chunk = parseObject(data)
  if (!chunk || !isObject(chunk.usage)) return data
  return JSON.stringify({ ...chunk, x_groq: { ...objectIn(chunk.x_groq), usage: chunk.usage } })
}

/** The error schemas of npm @ai-sdk/mistral 4.0.87 (mistralErrorDataSchema) and @ai-sdk/perplexity 4.0.49 (perplexityErrorSchema). */
const READS_MISTRALS = /\bai-sdk\/mistral\//
const READS_PERPLEXITYS = /\bai-sdk\/perplexity\//

/** An error in OpenAI's shape, and where the vendor's own client reads another one, in that too: otherwise it says the status alone. */
export const renderChatError: RenderError = (error, request_id, request) => {
  const { status, body } = openai.renderError(error, request_id)
  const agent = request ? agentOf(request) : ''
  const written = objectIn(body.error)
  if (READS_MISTRALS.test(agent)) return { status, body: { ...body, ...written, object: 'error' } }
  if (READS_PERPLEXITYS.test(agent)) return { status, body: { ...body, error: { ...written, code: status } } }
  return { status, body }
}

/** The same dialect with the usage in Groq's place, in streams that pass through and in translated ones. */
export const groqsDialect = (dialect: Dialect): Dialect => ({
  ...dialect,
  frame: {
    ...dialect.frame,
    event: ({ event, data }, first) => dialect.frame.event({ event, data: withGroqs(data) }, first),
  },
  shown: (data: ByteString) =>
    data.includes(USAGE) ? toByteString(Buffer.from(withGroqs(decodeByteString(data)))) : data,
})
