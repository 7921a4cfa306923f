// Owns a chat as the simulator walks through it: messages, and the parts of what they say.
import { type JsonObject, listOf, objectOf, textOf } from '../json.ts'

export const messagesOf = (body: JsonObject): JsonObject[] => listOf(body.messages).map(objectOf)

/** Text alone stands for one part of it. */
export const partsOf = ({ content }: JsonObject): JsonObject[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(objectOf)

/** The words of a message. */
export const saidIn = (message: JsonObject): string =>
  partsOf(message)
    .map(({ text }) => textOf(text))
    .filter((text) => text !== '')
    .join('\n')

export const callsOf = (message: JsonObject | undefined): JsonObject[] =>
  listOf(message?.tool_calls).map(objectOf)

/** What a message gives to read: its words, and what it called. */
export const spoken = (message: JsonObject): string =>
  [saidIn(message), ...callsOf(message).map((call) => JSON.stringify(call.function))]
    .filter((text) => text !== '')
    .join('\n')
