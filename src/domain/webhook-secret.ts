// The secrets of a webhook: its signing secret, in the form of Standard Webhooks
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme), and its URL. Pure.

const SECRET_PREFIX = 'whsec_'
/** The specification requires 24 to 64 bytes. */
const MIN_SECRET_BYTES = 24
const MAX_SECRET_BYTES = 64
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Decodes a secret: `whsec_` and 24 to 64 bytes in base64. @returns undefined if it has another form */
export function secretBytes(secret: string): Buffer | undefined {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : ''
  if (!BASE64.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.length >= MIN_SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES ? bytes : undefined
}

const BARE_ADDRESS = /^https?:\/\/[^\s/?#@\\]+\/?$/i

/** Whether a webhook's URL has more than host and port: many receivers put a token into the path or query. */
export const mayHaveToken = (address: string): boolean => !BARE_ADDRESS.test(address)
