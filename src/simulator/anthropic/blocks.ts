// Owns a messages conversation as the simulator walks through it: every message a role and a list of blocks.
import { type JsonObject, listOf, objectOf, textOf } from '../json.ts'

export interface Message {
  readonly role: string
  readonly blocks: readonly JsonObject[]
}

/** Text alone stands for one block of it. */
export const blocksOf = (content: unknown): JsonObject[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(objectOf)

export const messagesOf = (body: JsonObject): Message[] =>
  listOf(body.messages)
    .map(objectOf)
    .map(({ role, content }) => ({ role: textOf(role), blocks: blocksOf(content) }))

export const ofType = (blocks: readonly JsonObject[], ...types: string[]): JsonObject[] =>
  blocks.filter(({ type }) => types.includes(textOf(type)))

/** What a block gives to read. Thoughts of earlier turns are not read again. */
export function spoken(block: JsonObject): string {
  if (block.type === 'tool_use') return JSON.stringify({ name: block.name, input: block.input })
  if (block.type === 'tool_result') return resultText(block)
  return textOf(block.text)
}

/** What a tool returned, in words. */
export const resultText = ({ content }: JsonObject): string => blocksOf(content).map(spoken).join('\n')

/** Blocks with those that results of tools hold. */
export const withInner = (blocks: readonly JsonObject[]): JsonObject[] =>
  blocks.flatMap((block) => (block.type === 'tool_result' ? [block, ...blocksOf(block.content)] : [block]))
