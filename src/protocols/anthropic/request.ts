// Owns what a messages request asks for, as far as it must be known before it is paid: its size and its limit.

import { estimateTokens, INPUT_IMAGE_TOKENS } from '../../domain/token-estimate.ts'
import type { RequestFacts } from '../facts.ts'
import {
  type Json,
  type JsonObject,
  objectIn,
  refusal,
  stringIn,
  wantArray,
  wantCount,
  wantObject,
} from '../wire/json.ts'

/**
 * Reads a messages request. What it does not price is not looked at: the vendor judges it.
 * @throws GatewayError invalid_request for a missing limit or conversation
 */
export function readRequest(body: JsonObject): RequestFacts {
  const messages = wantArray(body.messages, 'messages')
  if (messages.length === 0) throw refusal('messages', 'must not be empty.')
  return {
    input_tokens:
      contentTokens(body.system) +
      sum(messages, (item, index) => contentTokens(wantObject(item, `messages[${index}]`).content)) +
      jsonTokens(body.tools) +
      jsonTokens(objectIn(body.output_config).format),
    max_output_tokens: wantCount(body.max_tokens, 'max_tokens'),
    answers: 1,
  }
}

/** The same request under the provider's own name of the model. */
export const prepare = (body: JsonObject, { model }: { model: string }): JsonObject =>
  body.model === model ? body : { ...body, model }

/** The least budget that the vendor takes. */
const MIN_BUDGET_TOKENS = 1_024

/** The same request with max_tokens lowered, and with it a thinking budget that would no longer fit: it is refused otherwise. */
export function limitOutput(body: JsonObject, max_output_tokens: number): JsonObject {
  const limited = { ...body, max_tokens: max_output_tokens }
  const thinking = objectIn(body.thinking)
  if (thinking.type !== 'enabled' || Number(thinking.budget_tokens) < max_output_tokens) return limited
  const budget_tokens = max_output_tokens - 1
  return {
    ...limited,
    thinking: budget_tokens < MIN_BUDGET_TOKENS ? { type: 'disabled' } : { ...thinking, budget_tokens },
  }
}

/** A document's page is read as 1,500 to 3,000 tokens (platform.claude.com, "PDF support"); a page is taken for 50 kB. */
const DOCUMENT_BYTES_PER_TOKEN = 20
/** A document by address is not seen: it counts as a dozen pages. */
const UNSEEN_DOCUMENT_TOKENS = 32_768

const BLOCK_TOKENS: Readonly<Record<string, (block: JsonObject) => number>> = {
  text: ({ text }) => estimateTokens(stringIn(text) ?? ''),
  thinking: ({ thinking }) => estimateTokens(stringIn(thinking) ?? ''),
  redacted_thinking: ({ data }) => estimateTokens(stringIn(data) ?? ''),
  image: () => INPUT_IMAGE_TOKENS,
  document: ({ source }) => documentTokens(objectIn(source)),
  tool_result: ({ content }) => contentTokens(content),
}

function contentTokens(content: Json | undefined): number {
  if (typeof content === 'string') return estimateTokens(content)
  if (!Array.isArray(content)) return 0
  return sum(content, (item) => {
    const block = objectIn(item)
    return (BLOCK_TOKENS[stringIn(block.type) ?? ''] ?? jsonTokens)(block)
  })
}

function documentTokens(source: JsonObject): number {
  const data = stringIn(source.data)
  if (source.type === 'text') return estimateTokens(data ?? '')
  if (source.type === 'content') return contentTokens(source.content)
  return data === undefined
    ? UNSEEN_DOCUMENT_TOKENS
    : Math.ceil((data.length * 3) / 4 / DOCUMENT_BYTES_PER_TOKEN)
}

const jsonTokens = (value: Json | undefined): number =>
  value === undefined || value === null ? 0 : estimateTokens(JSON.stringify(value))

const sum = (items: readonly Json[], tokens: (item: Json, index: number) => number): number =>
  items.reduce<number>((total, item, index) => total + tokens(item, index), 0)
