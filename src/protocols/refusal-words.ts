// Owns a refusal's words, as they are kept of any vendor: what it said, or whatever came in place of that.

/** Of what is no error in the vendor's shape (HTML of something in between), this many characters are kept. */
const MAX_MESSAGE_CHARS = 2_000

/** @param said the message in the vendor's own error; undefined where its body has none */
export function refusalWords(said: string | undefined, status: number, body: string): string {
  const message = said ?? body.slice(0, MAX_MESSAGE_CHARS)
  return message === '' ? `The provider answered with status ${status} and no message.` : message
}
