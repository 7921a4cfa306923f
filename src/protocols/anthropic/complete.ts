// Messages of lenient servers, completed for callers of the protocol: Anthropic's own clients throw, or lose a block, without these fields.
import type { AnswerContext } from '../canonical/answer.ts'
import type { Completing } from '../completing.ts'
import { type ByteString, decodeByteString, toByteString } from '../wire/byte-string.ts'
import { type JsonObject, objectIn, parseObject } from '../wire/json.ts'
import { completeMessage, StreamedBlocks } from './complete-blocks.ts'

/** How nearly all events begin: nothing is missing in them. */
const COMPLETE_DELTA =
  /^\{\s*"type"\s*:\s*"content_block_delta"\s*,\s*"index"\s*:\s*\d+\s*,\s*"delta"\s*:\s*\{\s*"type"\s*:\s*"/

/** The fields that every message has, but for the model: an answer that names none gets no name. */
function withHead(message: JsonObject, { id }: AnswerContext): JsonObject {
  const head: JsonObject = { id: `msg_${id}`, type: 'message', role: 'assistant', content: [] }
  if (Object.keys(head).every((key) => (message[key] ?? null) !== null)) return message
  return { ...head, ...Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null)) }
}

export const completing: Completing = {
  whole: (answer, context) => completeMessage(withHead(answer, context), context.id),
  stream(context) {
    const blocks = new StreamedBlocks(context.id)
    return (data) => {
      if (COMPLETE_DELTA.test(data)) return data
      const original = parseObject(decodeByteString(data))
      if (original === undefined) return data
      const completed = blocks.complete(original)
      if (typeof completed.type !== 'string') return undefined
      if (completed.type !== 'message_start') return completed === original ? data : written(completed)
      const start = objectIn(completed.message)
      const message = withHead(start, context)
      return message === start ? data : written({ ...completed, message })
    }
  },
}

const written = (event: JsonObject): ByteString => toByteString(Buffer.from(JSON.stringify(event)))
