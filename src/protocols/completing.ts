// The completion of answers that pass through: fields that lenient servers leave out, and the protocol's own clients need.
import type { AnswerContext } from './canonical/answer.ts'
import type { ByteString } from './wire/byte-string.ts'
import type { JsonObject } from './wire/json.ts'

export interface Completing {
  /** The whole answer; the very same where nothing is missing. @throws UpstreamFault for ambiguous pieces */
  whole(answer: JsonObject, context: AnswerContext): JsonObject
  /**
   * For one stream: the data of an event; the very same where nothing is missing. It may have a further event before it. Undefined
   * for an event that says nothing to clients of the protocol.
   * @throws UpstreamFault as for whole answers
   */
  stream(context: AnswerContext): (data: ByteString) => ByteString | undefined
}
