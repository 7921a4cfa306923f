// Completion of messages from lenient servers: without these fields, Anthropic's own clients throw, or lose a block.

import { UpstreamFault } from '../../domain/errors.ts'
import type { AnswerContext } from '../canonical/answer.ts'
import { newCallId } from '../canonical/parts.ts'
import { type Completer, fillRequired, hasRequired, withRequired, withType } from '../completing.ts'
import { reportsError } from '../failures.ts'
import { decodeByteString } from '../wire/byte-string.ts'
import {
  changedObjects,
  countIn,
  isObject,
  type JsonObject,
  jsonByteString,
  objectIn,
  objectsIn,
  parseObject,
  stringIn,
} from '../wire/json.ts'
import { DONE } from '../wire/sse.ts'

/** The type of a block without one, by a field that it has. */
const TYPE_OF_BLOCK = { thinking: 'thinking', text: 'text', data: 'redacted_thinking', input: 'tool_use' }
const TYPE_OF_DELTA = {
  text: 'text_delta',
  thinking: 'thinking_delta',
  partial_json: 'input_json_delta',
  signature: 'signature_delta',
  citation: 'citations_delta',
}
/** Ids of calls to tools that the caller does not run: the provider's own, and those of MCP servers. */
const OTHERS_CALL = /^(?:srv|mcp)toolu_/

/** Fields with content. An event without any of them, such as `{}`, only keeps the connection open. */
const CONTENT_FIELDS = ['message', 'content_block', 'delta', 'index', 'usage']

/** @throws UpstreamFault for a tool call without a name, and for an untyped call that may be of a tool which the caller does not run */
function completeBlock(original: JsonObject, made_id: string): JsonObject {
  const block = withType(original, TYPE_OF_BLOCK)
  if (block !== original && OTHERS_CALL.test(stringIn(block.id) ?? ''))
    throw new UpstreamFault('the upstream sent a tool call without its type')
  if (block.type !== 'tool_use') return block
  if (!stringIn(block.name)) throw new UpstreamFault('the upstream sent a tool call without a name')
  return stringIn(block.id) ? block : { ...block, id: made_id }
}

const completeBlockAt = (block: JsonObject, position: number, call_id: string): JsonObject =>
  completeBlock(block, newCallId(call_id, 0, position))

const isToolUse = ({ type }: JsonObject): boolean => type === 'tool_use'

/** Completes the blocks of one stream. */
export class StreamedBlocks {
  #newest = -1
  readonly #call_id: string

  constructor(call_id: string) {
    this.#call_id = call_id
  }

  /**
   * Completes the block of an event; returns the same event if nothing is missing.
   * @throws UpstreamFault for an event or a block without its type, and for a tool call without a name
   */
  complete(event: JsonObject): JsonObject {
    if (typeof event.type !== 'string') {
      if (reportsError(event)) return { ...event, type: 'error' }
      if (CONTENT_FIELDS.every((name) => (event[name] ?? null) === null)) return event
      throw new UpstreamFault('the upstream sent an event without its type')
    }
    if (event.type === 'content_block_start') return this.#start(event)
    if (event.type !== 'content_block_delta' && event.type !== 'content_block_stop') return event
    const indexed =
      countIn(event.index) === undefined ? { ...event, index: Math.max(0, this.#newest) } : event
    if (!isObject(event.delta)) return indexed
    const delta = withType(event.delta, TYPE_OF_DELTA)
    return delta === event.delta ? indexed : { ...indexed, delta }
  }

  #start(event: JsonObject): JsonObject {
    const index = countIn(event.index) ?? this.#newest + 1
    this.#newest = index
    const original = objectIn(event.content_block)
    const block = completeBlock(original, newCallId(this.#call_id, 0, index))
    if (typeof block.type !== 'string') throw new UpstreamFault('the upstream sent a block without its type')
    return block === original && event.index === index ? event : { ...event, index, content_block: block }
  }
}

/**
 * Completes the blocks and the stop reason of a whole message; returns the same message if nothing is missing.
 * @throws UpstreamFault as for streams
 */
export function completeMessage(message: JsonObject, call_id: string): JsonObject {
  const original = objectsIn(message.content)
  const content = changedObjects(original, completeBlockAt, call_id)
  const stop_reason = stringIn(message.stop_reason) || (content.some(isToolUse) ? 'tool_use' : 'end_turn')
  if (stop_reason === message.stop_reason && content === original) return message
  return { ...message, content: [...content], stop_reason }
}

/** The beginning of nearly all events, which are complete. */
const COMPLETE_DELTA =
  /^\{\s*"type"\s*:\s*"content_block_delta"\s*,\s*"index"\s*:\s*\d+\s*,\s*"delta"\s*:\s*\{\s*"type"\s*:\s*"/

/** The fields that every message has, except the model: an answer without a model name stays without. */
const requiredFields = ({ id }: Pick<AnswerContext, 'id'>): JsonObject => ({
  id: `msg_${id}`,
  type: 'message',
  role: 'assistant',
  content: [],
})

const REQUIRED: JsonObject = requiredFields({ id: '' })

export const completing: Completer = {
  whole(answer, context) {
    // Nearly every answer is complete, so the defaults are only created on demand.
    const filled = hasRequired(answer, REQUIRED) ? answer : fillRequired(answer, requiredFields(context))
    return completeMessage(filled, context.id)
  },
  stream(context) {
    const blocks = new StreamedBlocks(context.id)
    return (data) => {
      if (COMPLETE_DELTA.test(data)) return data
      const original = parseObject(decodeByteString(data))
      if (original === undefined) return data === DONE ? undefined : data
      const completed = blocks.complete(original)
      if (typeof completed.type !== 'string') return undefined
      if (completed.type !== 'message_start') return completed === original ? data : jsonByteString(completed)
      const start = objectIn(completed.message)
      const message = withRequired(start, requiredFields(context))
      return message === start ? data : jsonByteString({ ...completed, message })
    }
  },
}
