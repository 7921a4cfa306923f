// Owns an API key as text: how one is made, and what is kept of it.

const MARK = 'tg_'
const RANDOM_BYTES = 32

/** How much of a key is kept readable, to tell keys apart: the mark and 42 of its 256 bits. */
export const PREFIX_LENGTH = 10

/** The form of every key: the mark and 32 random bytes in base64url. Whatever differs need not be looked up. */
export const KEY_PATTERN = /^tg_[A-Za-z0-9_-]{43}$/

/** Returns that many random bytes, from a cryptographic source. */
export type RandomBytes = (length: number) => Uint8Array

/** A new key, `tg_` and 43 characters. It is shown once; only `hashKey` and its first characters are kept. */
export function generateKey(randomBytes: RandomBytes): string {
  return MARK + Buffer.from(randomBytes(RANDOM_BYTES)).toString('base64url')
}

/** The SHA-256 of a key, as it is stored. No salt and no stretching: a key is 256 random bits, which nobody can guess. */
export function hashKey(text: string): Buffer {
  return Buffer.from(new Bun.CryptoHasher('sha256').update(text).digest())
}
