// The facts of a messages request that are needed before it is paid for: its size and its limit.

import { invalidRequest } from '../../domain/errors.ts'
import { VERTEX_AI } from '../../domain/servers/vertex.ts'
import { estimateTokens } from '../../domain/token-estimate.ts'
import { withModelAndStream } from '../body-fields.ts'
import { requestedTier } from '../extras.ts'
import type { RequestFacts } from '../facts.ts'
import { Anything, Count, Fields, List, readObject } from '../forms.ts'
import { inputFacts } from '../input-bound.ts'
import type { TextProtocol } from '../protocol.ts'
import { MIN_BUDGET_TOKENS } from '../thinking.ts'
import { jsonTokens, leastTokensIn, sumTokens } from '../token-sums.ts'
import {
  countIn,
  hasItems,
  isObject,
  type Json,
  type JsonObject,
  lookUp,
  objectIn,
  objectsIn,
  refusal,
  stringIn,
} from '../wire/json.ts'
import { computedOnce } from '../wire/known-values.ts'
import { requestBound } from './bound.ts'
import { rejectThread } from './extras.ts'

/** The fields that decide the price. */
const PricedRequest = Fields({
  messages: List(Fields({ content: Anything })),
  system: Anything,
  tools: Anything,
  output_config: Anything,
  max_tokens: Count,
})

/**
 * Reads the fields of a messages request that decide the price. The provider checks all others.
 * @throws GatewayError invalid_request for a thread, and for a missing limit or conversation
 */
export function readRequest(body: JsonObject): RequestFacts {
  // Checked first and for every provider: a thread may have no messages.
  rejectThread(body.thread)
  const { messages, system, tools, output_config, max_tokens } = readObject(PricedRequest, body, '')
  if (messages.length === 0) throw refusal('messages', 'must not be empty.')
  const text_tokens =
    computedOnce(contentTokens, system) +
    sumTokens(messages, (message) => computedOnce(messageTokens, message)) +
    computedOnce(jsonTokens, tools) +
    jsonTokens(objectIn(output_config).format)
  return {
    ...inputFacts(requestBound, body, text_tokens),
    max_output_tokens: max_tokens,
    candidates: 1,
    offers_tools: hasItems(tools),
    stops: hasItems(body.stop_sequences),
    runs_tools: objectsIn(tools).some(searchesTools),
    service_tier: requestedTier(body, 'service_tier'),
  }
}

/** Tool search is the one tool that the provider runs for free; all others are extras. */
const searchesTools = ({ type }: JsonObject): boolean =>
  typeof type === 'string' && type.startsWith('tool_search')

/** Sets the provider's model name, and removes thinking that the provider could not read. */
export function prepare(body: JsonObject, call: Parameters<TextProtocol['prepare']>[1]): JsonObject {
  const named = withModelAndStream(body, call)
  const prepared = call.server === VERTEX_AI ? forVertex(named) : named
  return call.forgets_reasoning ? withoutThinking(prepared) : prepared
}

/**
 * On Vertex AI, the address names the model, and the body the version:
 * https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai.
 */
function forVertex({ model: _, ...rest }: JsonObject): JsonObject {
  return { ...rest, anthropic_version: VERTEX_VERSION }
}

export const VERTEX_VERSION = 'vertex-2023-10-16'

const isThinking = ({ type }: JsonObject): boolean => type === 'thinking' || type === 'redacted_thinking'

/** Also removes a budget: with tools, it would require the removed thinking, and without it the model decides. */
function withoutThinking(body: JsonObject): JsonObject {
  const messages = objectsIn(body.messages).flatMap((message) => {
    if (!Array.isArray(message.content)) return [message]
    const content = objectsIn(message.content).filter((block) => !isThinking(block))
    return content.length > 0 ? [{ ...message, content }] : []
  })
  const { thinking, ...rest } = body
  return objectIn(thinking).type === 'enabled' ? { ...rest, messages } : { ...body, messages }
}

/** Lowers max_tokens, and a thinking budget that would exceed it: the provider would refuse the request. */
export function limitOutput(body: JsonObject, max_output_tokens: number): JsonObject {
  const limited = { ...body, max_tokens: max_output_tokens }
  const thinking = objectIn(body.thinking)
  if (
    thinking.type !== 'enabled' ||
    (countIn(thinking.budget_tokens) ?? Number.POSITIVE_INFINITY) < max_output_tokens
  )
    return limited
  const budget_tokens = max_output_tokens - 1
  return {
    ...limited,
    thinking: budget_tokens < MIN_BUDGET_TOKENS ? { type: 'disabled' } : { ...thinking, budget_tokens },
  }
}

const BLOCK_TOKENS: Readonly<Record<string, (block: JsonObject) => number>> = {
  text: ({ text }) => estimateTokens(stringIn(text) ?? ''),
  thinking: ({ thinking }) => estimateTokens(stringIn(thinking) ?? ''),
  redacted_thinking: ({ data }) => estimateTokens(stringIn(data) ?? ''),
  image: () => 0,
  document: ({ source }) => documentTokens(objectIn(source)),
  tool_result: ({ content }) => contentTokens(content),
}

const messageTokens = ({ content }: { content?: Json }): number => contentTokens(content)

function contentTokens(content: Json | undefined): number {
  if (typeof content === 'string') return estimateTokens(content)
  if (!Array.isArray(content)) return 0
  return sumTokens(content, (item) => blockTokens(objectIn(item)))
}

const blockTokens = (block: JsonObject): number =>
  lookUp(BLOCK_TOKENS, block.type)?.(block) ?? toolResultTokens(block)

/** Results of the provider's own tools contain documents, which count as media. */
function toolResultTokens({ content, ...rest }: JsonObject): number {
  const inner = isObject(content) ? blockTokens(content) : contentTokens(content)
  return jsonTokens(rest) + inner
}

/** Documents of other types count as media. */
function documentTokens(source: JsonObject): number {
  if (source.type === 'text') return estimateTokens(stringIn(source.data) ?? '')
  return source.type === 'content' ? contentTokens(source.content) : 0
}

export const leastTokens = leastTokensIn(['system', 'messages'], ['context_management', 'compaction'])

/** Clients search for these words and numbers. */
export const promptTooLong = (tokens: number, context: number) =>
  invalidRequest(`prompt is too long: ${tokens} tokens > ${context} maximum`, { param: 'messages' })
