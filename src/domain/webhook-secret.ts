// The secrets of a webhook: what its messages are signed with, as Standard Webhooks writes it
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme), and its address. Pure.

const SECRET_PREFIX = 'whsec_'
/** As the specification asks: 24 to 64 bytes. */
const MIN_SECRET_BYTES = 24
const MAX_SECRET_BYTES = 64
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** @param secret `whsec_` and 24 to 64 bytes in base64; undefined if it is not that */
export function secretBytes(secret: string): Buffer | undefined {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : ''
  if (!BASE64.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.length >= MIN_SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES ? bytes : undefined
}

const BARE_ADDRESS = /^https?:\/\/[^\s/?#@\\]+\/?$/i

/** Whether a webhook's address has more than its host and port: for many receivers its path or query has a token. */
export const mayHaveToken = (address: string): boolean => !BARE_ADDRESS.test(address)
