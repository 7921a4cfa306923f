// The text of an API key: how it is generated, recognised and hashed.

const MARK = 'tg_'
const RANDOM_BYTES = 32

/** How many characters of a key are stored readable, to tell keys apart: the mark and 42 of its 256 bits. */
export const PREFIX_LENGTH = 10

/** The form of our own keys: the mark and 32 random bytes in base64url. */
export const KEY_PATTERN = /^tg_[A-Za-z0-9_-]{43}$/

/**
 * The form of keys that were imported from another gateway: new-api's have 48 letters and digits, LiteLLM's are sometimes chosen by hand
 * (https://docs.litellm.ai/docs/proxy/virtual_keys), so that any printable ASCII may follow the mark.
 */
const IMPORTED_KEY_PATTERN = /^sk-[\x21-\x7e]{1,253}$/

/** The prefix of an imported key: only characters without a meaning in a shell, a page or a TOML file. */
const IMPORTED_PREFIX = 'sk-[A-Za-z0-9._-]{7}'
const IMPORTED_PREFIX_PATTERN = new RegExp(`^${IMPORTED_PREFIX}$`)

/** The prefix of any key, for schemas. */
export const KEY_PREFIX_PATTERN = `^(tg_[A-Za-z0-9_-]{7}|${IMPORTED_PREFIX})$`

/** The prefix of a key without a visible or known part. */
export const HIDDEN_PREFIX = 'sk-.......'
/** The prefix of a shorter key would reveal most of it. */
const MIN_SHOWN_KEY_CHARS = 20

/** Whether a text may be a key, whole. */
export const isKeyText = (text: string): boolean => KEY_PATTERN.test(text) || IMPORTED_KEY_PATTERN.test(text)

/**
 * A token of new-api or one-api as its callers may send it: without `sk-`, and with a hyphen and the number of a channel behind it. The table
 * has up to 128 letters and digits, 32 or 48 of its own making.
 * https://github.com/QuantumNous/new-api/blob/040b46a083e17f85b970a9775674b0e58c1b26e9/middleware/auth.go (TokenAuth), model/token.go;
 * https://github.com/songquanpeng/one-api/blob/8df4a2670b98266bd287c698243fff327d9748cf/middleware/auth.go (TokenAuth)
 */
const TOKEN = /^(?:sk-)?([A-Za-z0-9]{32,128})(?:-\d{1,10})?$/

/** The keys that a sent text may mean, in the order of the look-ups: the text itself, since one chosen by hand may end in a number, then its token. */
export function keysMeantBy(sent: string): readonly string[] {
  if (KEY_PATTERN.test(sent)) return [sent]
  const whole = IMPORTED_KEY_PATTERN.test(sent) ? [sent] : []
  const [, token] = TOKEN.exec(sent) ?? []
  return token === undefined || sent === `sk-${token}` ? whole : [...whole, `sk-${token}`]
}

/** Whether a text can be the prefix of an imported key. */
export const isImportedPrefix = (prefix: string): boolean => IMPORTED_PREFIX_PATTERN.test(prefix)

/** The prefix of a key of another gateway: its first 10 characters, a dot in place of special ones; of a short key none. */
export const importedPrefix = (text: string): string =>
  text.length < MIN_SHOWN_KEY_CHARS
    ? HIDDEN_PREFIX
    : text.slice(0, PREFIX_LENGTH).replace(/[^A-Za-z0-9._-]/g, '.')

/** Returns that many random bytes, from a cryptographic source. */
export type RandomBytes = (length: number) => Uint8Array

/** A new key: `tg_` and 43 characters. It is shown once; only its hash and its first characters are stored. */
export function generateKey(randomBytes: RandomBytes): string {
  return MARK + Buffer.from(randomBytes(RANDOM_BYTES)).toString('base64url')
}

/** The SHA-256 of a key, as it is stored. Neither salted nor stretched: a key is 256 random bits. An imported key is as random as its gateway made it. */
export function hashKey(text: string): Buffer {
  return Buffer.from(new Bun.CryptoHasher('sha256').update(text).digest())
}
