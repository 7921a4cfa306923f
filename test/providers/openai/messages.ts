// A chat: its messages, and the parts of their content.
import { type JsonObject, listOf, objectOf, textOf } from '../json.ts'

export const messagesOf = (body: JsonObject): JsonObject[] => listOf(body.messages).map(objectOf)

/** Plain text counts as one text part. */
export const partsOf = ({ content }: JsonObject): JsonObject[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(objectOf)

/** The text of a message. */
export const contentText = (message: JsonObject): string =>
  partsOf(message)
    .map(({ text }) => textOf(text))
    .filter((text) => text !== '')
    .join('\n')

export const callsOf = (message: JsonObject | undefined): JsonObject[] =>
  listOf(message?.tool_calls).map(objectOf)

/** The text that a message adds to the prompt: its own, and its tool calls as JSON. */
export const promptText = (message: JsonObject): string =>
  [contentText(message), ...callsOf(message).map((call) => JSON.stringify(call.function))]
    .filter((text) => text !== '')
    .join('\n')
