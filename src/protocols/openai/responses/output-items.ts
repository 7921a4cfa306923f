// The items of a response's output, as they are once they are complete.
import type { TokenLogprob } from '../../canonical/answer.ts'
import type { Signature } from '../../canonical/parts.ts'
import type { Signed } from '../../signature.ts'
import { compact, type Json, type JsonObject, parseObject, stringIn } from '../../wire/json.ts'
import { writeLogprobs } from '../logprobs.ts'
import { writeEncrypted } from './encrypted.ts'
import type { NamedTool } from './tools.ts'

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** The parts of a message. */
export const textContent = (text: string, logprobs: readonly TokenLogprob[] = []): JsonObject => ({
  type: 'output_text',
  annotations: [],
  logprobs: logprobsOf(logprobs),
  text,
})
export const refusalContent = (refusal: string): JsonObject => ({ type: 'refusal', refusal })

/** Log probabilities as responses have them: a list alone. */
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

/** @param signature what the provider wants back with the next turn, and what it belongs to */
export const reasoningItem = (
  id: string,
  text: string,
  signature: Signature | undefined,
  signed: Signed,
): JsonObject =>
  compact({
    id,
    type: 'reasoning',
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    encrypted_content: signature && writeEncrypted(signature, signed),
  })

/** A call of a tool, whatever kind its definition is. */
export interface ToolCall {
  call_id: string
  name: string
  arguments_json: string
  tool: NamedTool | undefined
}

export const callType = (tool: NamedTool | undefined): 'custom_tool_call' | 'function_call' =>
  tool?.kind === 'custom' ? 'custom_tool_call' : 'function_call'

export const callItem = (id: string, call: ToolCall, status: ItemStatus = 'completed'): JsonObject => {
  const { call_id, arguments_json, tool, name } = call
  const named = compact({ call_id, name: tool?.name ?? name, namespace: tool?.namespace })
  return callType(tool) === 'custom_tool_call'
    ? { id, type: 'custom_tool_call', status, ...named, input: customInput(arguments_json) }
    : { id, type: 'function_call', status, ...named, arguments: arguments_json }
}

/** The text that a model gave a custom tool, which it knows as a function of one text. */
export const customInput = (arguments_json: string): string =>
  stringIn(parseObject(arguments_json)?.input) ?? arguments_json
