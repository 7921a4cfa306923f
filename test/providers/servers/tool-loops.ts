// A rule of servers whose thinking models require their thinking back with the calls of a tool loop.
import { isObject, type JsonObject, objectOf } from '../json.ts'
import { callsOf, messagesOf } from '../openai/messages.ts'

/**
 * The first assistant message with tool calls that comes back without its thinking.
 *
 * @returns its index; undefined without any
 */
export function lostThinking(body: JsonObject): number | undefined {
  const found = messagesOf(body).findIndex(
    (message) =>
      message.role === 'assistant' &&
      callsOf(message).length > 0 &&
      typeof message.reasoning_content !== 'string',
  )
  return found < 0 ? undefined : found
}

/** Whether a request turns thinking on or off itself: `thinking: { type: 'enabled' | 'disabled' }`. */
export const switchesThinking = (body: JsonObject): boolean | undefined =>
  isObject(body.thinking) ? objectOf(body.thinking).type !== 'disabled' : undefined
