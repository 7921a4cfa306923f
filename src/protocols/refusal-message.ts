// The message of a provider's refusal: its own words, or whatever came in their place.
import { parseObject, stringIn } from './wire/json.ts'

/** Of a body that is no error in the protocol's shape (HTML of a proxy), this many characters are kept. */
const MAX_MESSAGE_CHARS = 2_000

/** @param own_message the message in the provider's error; undefined if the body has none where the protocol has it */
export function refusalMessage(own_message: string | undefined, status: number, body: string): string {
  const message = own_message ?? plainMessage(body) ?? body.slice(0, MAX_MESSAGE_CHARS)
  return message === '' ? `The provider answered with status ${status} and no message.` : message
}

/**
 * Errors of layers between a server and its callers have forms of their own: AWS in front of Bedrock
 * (https://github.com/ai4s-research/open-science/issues/53 `Message`, https://github.com/aws-samples/agents4energy/issues/166 `message`),
 * FastAPI (https://github.com/continuedev/continue/issues/2242 `detail`).
 */
function plainMessage(body: string): string | undefined {
  const { message, Message, detail } = parseObject(body) ?? {}
  return [message, Message, detail].map(stringIn).find((text) => text !== undefined && text !== '')
}
