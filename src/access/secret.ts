// The text of an API key: how it is generated, recognised and hashed.

const MARK = 'tg_'
const RANDOM_BYTES = 32

/** How many characters of a key are stored readable, to tell keys apart: the mark and 42 of its 256 bits. */
export const PREFIX_LENGTH = 10

/** The form of every key: the mark and 32 random bytes in base64url. Any other text is refused without a look-up. */
export const KEY_PATTERN = /^tg_[A-Za-z0-9_-]{43}$/

/** Returns that many random bytes, from a cryptographic source. */
export type RandomBytes = (length: number) => Uint8Array

/** A new key: `tg_` and 43 characters. It is shown once; only its hash and its first characters are stored. */
export function generateKey(randomBytes: RandomBytes): string {
  return MARK + Buffer.from(randomBytes(RANDOM_BYTES)).toString('base64url')
}

/** The SHA-256 of a key, as it is stored. Neither salted nor stretched: a key is 256 random bits. */
export function hashKey(text: string): Buffer {
  return Buffer.from(new Bun.CryptoHasher('sha256').update(text).digest())
}
