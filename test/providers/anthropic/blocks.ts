// A messages conversation: each message as a role and a list of blocks.
import { type JsonObject, listOf, objectOf, textOf } from '../json.ts'

export interface Message {
  readonly role: string
  readonly blocks: readonly JsonObject[]
}

/** Plain text counts as one text block. */
export const blocksOf = (content: unknown): JsonObject[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(objectOf)

export const messagesOf = (body: JsonObject): Message[] =>
  listOf(body.messages)
    .map(objectOf)
    .map(({ role, content }) => ({ role: textOf(role), blocks: blocksOf(content) }))

export const ofType = (blocks: readonly JsonObject[], ...types: string[]): JsonObject[] =>
  blocks.filter(({ type }) => types.includes(textOf(type)))

/** The text that a block adds to the prompt. Thinking of earlier turns adds none. */
export function promptText(block: JsonObject): string {
  if (block.type === 'tool_use') return JSON.stringify({ name: block.name, input: block.input })
  if (block.type === 'tool_result') return resultText(block)
  return textOf(block.text)
}

/** The text of a tool's result. */
export const resultText = ({ content }: JsonObject): string => blocksOf(content).map(promptText).join('\n')

/** Blocks, with those inside tool results. */
export const withInner = (blocks: readonly JsonObject[]): JsonObject[] =>
  blocks.flatMap((block) => (block.type === 'tool_result' ? [block, ...blocksOf(block.content)] : [block]))
