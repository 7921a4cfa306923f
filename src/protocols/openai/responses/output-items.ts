// The output items of a response, complete or open in a stream.
import type { PartStart, TokenLogprob } from '../../canonical/answer.ts'
import type { Signature } from '../../canonical/parts.ts'
import type { GrowingText } from '../../growing-text.ts'
import type { Signed } from '../../signature.ts'
import { compact, type Json, type JsonObject, parseObject, stringIn } from '../../wire/json.ts'
import { writeLogprobs } from '../logprobs.ts'
import { CLIENT_TOOLS, type ClientTool } from './client-tools.ts'
import { writeEncrypted } from './encrypted.ts'
import type { NamedTool } from './tools.ts'

export interface OpenItem {
  readonly id: string
  readonly part: PartStart
  readonly tool: NamedTool | undefined
  /** Its text, or its arguments as JSON. */
  readonly text: GrowingText
  signature: Signature | undefined
  logprobs: TokenLogprob[]
}

export const isRefusal = ({ part }: OpenItem): boolean => part.kind === 'text' && part.is_refusal === true

export const contentOf = (item: OpenItem): JsonObject =>
  isRefusal(item) ? refusalContent(item.text.toString()) : textContent(item.text.toString(), item.logprobs)

export const argumentsOf = ({ text }: OpenItem): string => (text.length === 0 ? '{}' : text.toString())

export const callOf = (
  item: OpenItem,
  { id, name }: Extract<PartStart, { kind: 'tool_call' }>,
): ToolCall => ({
  call_id: id,
  name,
  arguments_json: argumentsOf(item),
  tool: item.tool,
})

type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export const textContent = (text: string, logprobs: readonly TokenLogprob[] = []): JsonObject => ({
  type: 'output_text',
  annotations: [],
  logprobs: logprobsOf(logprobs),
  text,
})
export const refusalContent = (refusal: string): JsonObject => ({ type: 'refusal', refusal })

/** Log probabilities in the format of responses: a list alone. */
export function logprobsOf(tokens: readonly TokenLogprob[]): Json {
  const written = writeLogprobs(tokens)
  return tokens.length === 0 ? [] : ((written as JsonObject).content ?? [])
}

export const messageItem = (
  id: string,
  content: JsonObject[],
  status: ItemStatus = 'completed',
): JsonObject => ({
  id,
  type: 'message',
  status,
  role: 'assistant',
  content,
})

/**
 * @param signature sent back to the provider with the next turn
 * @param signed the kind of part that the signature belongs to
 * @param status OpenAI leaves it out, but @ai-sdk/xai 5 ignores items without it
 */
export const reasoningItem = (
  id: string,
  text: string,
  signature: Signature | undefined,
  signed: Signed,
  status: ItemStatus = 'completed',
): JsonObject =>
  compact({
    id,
    type: 'reasoning',
    status,
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    encrypted_content: signature && writeEncrypted(signature, signed),
  })

/** A call of a tool of any kind. */
interface ToolCall {
  call_id: string
  name: string
  arguments_json: string
  tool: NamedTool | undefined
}

export function callType(tool: NamedTool | undefined): string {
  const client_tool = clientToolOf(tool)
  if (client_tool) return client_tool.call_type
  return tool?.kind === 'custom' ? 'custom_tool_call' : 'function_call'
}

/** The built-in tool of OpenAI's models behind a call; undefined for functions and custom tools. */
export const clientToolOf = (tool: NamedTool | undefined): ClientTool | undefined =>
  tool === undefined || tool.kind === 'function' || tool.kind === 'custom'
    ? undefined
    : CLIENT_TOOLS[tool.kind]

export const callItem = (id: string, call: ToolCall, status: ItemStatus = 'completed'): JsonObject => {
  const { call_id, arguments_json, tool, name } = call
  const named = compact({ call_id, name: tool?.name ?? name, namespace: tool?.namespace })
  const client_tool = clientToolOf(tool)
  if (client_tool) {
    const fields = client_tool.fieldsOf(parseObject(arguments_json) ?? {})
    return { id, type: client_tool.call_type, status, call_id, ...fields }
  }
  return tool?.kind === 'custom'
    ? { id, type: 'custom_tool_call', status, ...named, input: customInput(arguments_json) }
    : { id, type: 'function_call', status, ...named, arguments: arguments_json }
}

/** The input of a custom tool, from the arguments of the function with one text that the model knows. */
export const customInput = (arguments_json: string): string =>
  stringIn(parseObject(arguments_json)?.input) ?? arguments_json
