// The type of an event without one in its data: the name of the server-sent event, as Anthropic's Python SDK takes it.
import { type ByteString, decodeByteString, toByteString } from './byte-string.ts'
import { parseObject } from './json.ts'
import { isTooDeep } from './json-depth.ts'

/** Names that are types: of events of messages and of responses. */
const TYPE =
  /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping|error|response\.[a-z_.]+)$/
/** How nearly all data begins. */
const HAS_TYPE = /^\{\s*"type"\s*:\s*"/

/** The data of an event with its type; the very same where it has one, or where the name is no type. */
export function withNamedType(data: ByteString, name: ByteString): ByteString {
  if (HAS_TYPE.test(data) || !TYPE.test(name) || isTooDeep(data)) return data
  const event = parseObject(decodeByteString(data))
  if (!event || typeof event.type === 'string') return data
  return toByteString(Buffer.from(JSON.stringify({ ...event, type: name })))
}
