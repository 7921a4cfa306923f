// The item of a streamed response that is being written: its text or arguments so far, and what it becomes.
import type { TokenLogprob } from '../../canonical/answer.ts'
import type { Signature } from '../../canonical/parts.ts'
import type { PartStart } from '../../canonical/stream.ts'
import type { GrowingText } from '../../growing-text.ts'
import type { JsonObject } from '../../wire/json.ts'
import { refusalContent, type ToolCall, textContent } from './output-items.ts'
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
