// The message of a provider's refusal: its own words, or whatever came in their place.

/** Of a body that is no error in the protocol's shape (HTML of a proxy), this many characters are kept. */
const MAX_MESSAGE_CHARS = 2_000

/** @param said the message in the provider's error; undefined if the body has none */
export function refusalMessage(said: string | undefined, status: number, body: string): string {
  const message = said ?? body.slice(0, MAX_MESSAGE_CHARS)
  return message === '' ? `The provider answered with status ${status} and no message.` : message
}
