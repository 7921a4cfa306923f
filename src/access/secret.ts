// The text of an API key: generation, recognition and hashing.
const MARK = 'tg_'
const RANDOM_BYTES = 32

/** The number of characters that are stored in the clear, to identify a key: the mark and 42 of its 256 bits. */
export const PREFIX_LENGTH = 10

/** Own keys: the mark and 32 random bytes in base64url. */
export const KEY_PATTERN = /^tg_[A-Za-z0-9_-]{43}$/

/**
 * Imported keys: new-api's have 48 letters and digits; LiteLLM's may be chosen by hand (https://docs.litellm.ai/docs/proxy/virtual_keys), so any
 * printable ASCII may follow the mark.
 */
const IMPORTED_KEY_PATTERN = /^sk-[\x21-\x7e]{1,253}$/

/** The prefix of an imported key: only characters without special meaning in a shell, HTML or TOML. */
const IMPORTED_PREFIX = 'sk-[A-Za-z0-9._-]{7}'
const IMPORTED_PREFIX_PATTERN = new RegExp(`^${IMPORTED_PREFIX}$`)

/** Pattern of any key's prefix, for schemas. */
export const KEY_PREFIX_PATTERN = `^(tg_[A-Za-z0-9_-]{7}|${IMPORTED_PREFIX})$`

/** The prefix of a key without a visible or known part. */
export const HIDDEN_PREFIX = 'sk-.......'
/** For a shorter key, the prefix would reveal most of it. */
const MIN_SHOWN_KEY_CHARS = 20

/** Whether a text has the form of a key. */
export const isKeyText = (text: string): boolean => KEY_PATTERN.test(text) || IMPORTED_KEY_PATTERN.test(text)

/**
 * A token of new-api or one-api as callers may send it: without `sk-`, and followed by a hyphen and a channel number. Stored tokens have up to 128
 * letters and digits; generated ones have 32 or 48.
 * https://github.com/QuantumNous/new-api/blob/040b46a083e17f85b970a9775674b0e58c1b26e9/middleware/auth.go (TokenAuth), model/token.go;
 * https://github.com/songquanpeng/one-api/blob/8df4a2670b98266bd287c698243fff327d9748cf/middleware/auth.go (TokenAuth)
 */
const TOKEN = /^(?:sk-)?([A-Za-z0-9]{32,128})(?:-\d{1,10})?$/

/** The keys that a sent text may stand for, in look-up order: the text itself, since a key chosen by hand may end in a number, then its token. */
export function keysToTry(sent: string): readonly string[] {
  if (KEY_PATTERN.test(sent)) return [sent]
  const whole = IMPORTED_KEY_PATTERN.test(sent) ? [sent] : []
  const [, token] = TOKEN.exec(sent) ?? []
  return token === undefined || sent === `sk-${token}` ? whole : [...whole, `sk-${token}`]
}

/** Whether a text can be the prefix of an imported key. */
export const isImportedPrefix = (prefix: string): boolean => IMPORTED_PREFIX_PATTERN.test(prefix)

/** Returns the prefix of an imported key: its first 10 characters, with dots for special ones; hidden for a short key. */
export const importedPrefix = (text: string): string =>
  text.length < MIN_SHOWN_KEY_CHARS
    ? HIDDEN_PREFIX
    : text.slice(0, PREFIX_LENGTH).replace(/[^A-Za-z0-9._-]/g, '.')

/** Returns `length` bytes from a cryptographic random source. */
export type RandomBytes = (length: number) => Uint8Array

/** Generates a key: `tg_` and 43 characters. It is shown once; only its hash and its prefix are stored. */
export function generateKey(randomBytes: RandomBytes): string {
  return MARK + Buffer.from(randomBytes(RANDOM_BYTES)).toString('base64url')
}

/** Returns the stored SHA-256 of a key. Neither salted nor stretched, since a key has 256 random bits; imported keys may have fewer. */
export function hashKey(text: string): Buffer {
  return Buffer.from(new Bun.CryptoHasher('sha256').update(text).digest())
}
