// Signatures in minisign's format, for `minisign -V`: Ed25519 over the BLAKE2b-512 hash of a file, with a comment that is also signed.
// The format: https://jedisct1.github.io/minisign/#signature-format
import { createPrivateKey, createPublicKey, type KeyObject, sign as signBytes, verify } from 'node:crypto'

const UNTRUSTED = 'untrusted comment: '
const TRUSTED = 'trusted comment: '
const ALGORITHM = 'Ed'
const PREHASHED = 'ED'
const KEY_ID_BYTES = 8
const PUBLIC_KEY_BYTES = 2 + KEY_ID_BYTES + 32
const SIGNATURE_BYTES = 2 + KEY_ID_BYTES + 64
/** The length of the algorithms, scrypt's salt and limits, and the key's ID, seed, public key and checksum. */
const SECRET_KEY_BYTES = 6 + 32 + 16 + KEY_ID_BYTES + 64 + 32
const KEY_ID_AT = 54

/** The DER prefix of an Ed25519 key's 32 bytes: https://www.rfc-editor.org/rfc/rfc8410 */
const DER_PRIVATE = Buffer.from('302e020100300506032b657004220420', 'hex')
const DER_PUBLIC = Buffer.from('302a300506032b6570032100', 'hex')

export interface SecretKey {
  readonly id: Uint8Array
  readonly key: KeyObject
  /** In base64, as for `minisign -P`. */
  readonly public_key: string
}

const hashOf = (message: Uint8Array): Uint8Array =>
  new Bun.CryptoHasher('blake2b512').update(message).digest()

/** Returns a key ID as minisign prints it: a little-endian number in hexadecimal. */
const nameOf = (id: Uint8Array): string => Buffer.from(id).readBigUInt64LE().toString(16).toUpperCase()

const lineOf = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .find((line) => line !== '' && !line.startsWith(UNTRUSTED)) ?? ''

/**
 * Reads the text of a secret key without a password.
 * @throws Error that says what to do, for an encrypted key and for other text; it never contains the text
 */
export function readSecretKey(text: string): SecretKey {
  const bytes = Buffer.from(lineOf(text), 'base64')
  if (bytes.length !== SECRET_KEY_BYTES || bytes.toString('latin1', 0, 2) !== ALGORITHM)
    throw new Error('MINISIGN_KEY: must be a secret key of minisign, or its path; `minisign -G -W` makes one')
  if (bytes.readUInt16LE(2) !== 0)
    throw new Error(
      'MINISIGN_KEY: is encrypted; `minisign -C -W -s PATH` removes its password, `minisign -G -W` makes a key without one',
    )
  const id = bytes.subarray(KEY_ID_AT, KEY_ID_AT + KEY_ID_BYTES)
  const secret = bytes.subarray(KEY_ID_AT + KEY_ID_BYTES, KEY_ID_AT + KEY_ID_BYTES + 64)
  const key = createPrivateKey({
    key: Buffer.concat([DER_PRIVATE, secret.subarray(0, 32)]),
    format: 'der',
    type: 'pkcs8',
  })
  // A key without a password has no checksum.
  const own = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(DER_PUBLIC.length)
  if (!own.equals(secret.subarray(32)))
    throw new Error('MINISIGN_KEY: is damaged, since its two halves differ; take it from its backup')
  const public_key = Buffer.concat([Buffer.from(ALGORITHM), id, own]).toString('base64')
  return { id, key, public_key }
}

/** Signs a message. @param comment one line, which is also signed @returns the content of a `.minisig` file */
export function sign({ id, key }: SecretKey, message: Uint8Array, comment: string): string {
  if (/[\r\n]/.test(comment)) throw new Error('the comment of a signature must be one line')
  const signature = signBytes(null, hashOf(message), key)
  const whole = signBytes(null, Buffer.concat([signature, Buffer.from(comment)]), key)
  return [
    `${UNTRUSTED}signature of minisign key ${nameOf(id)}`,
    Buffer.concat([Buffer.from(PREHASHED), id, signature]).toString('base64'),
    `${TRUSTED}${comment}`,
    whole.toString('base64'),
    '',
  ].join('\n')
}

/** Reads a public key. @param text base64, or the content of a `.pub` file @returns its bytes; undefined if it is not minisign's */
export function readPublicKey(text: string): Buffer | undefined {
  const bytes = Buffer.from(lineOf(text), 'base64')
  return bytes.length === PUBLIC_KEY_BYTES && bytes.toString('latin1', 0, 2) === ALGORITHM ? bytes : undefined
}

/**
 * Verifies a signature and its comment.
 * @param public_key as for `readPublicKey`
 * @param signature the content of a `.minisig` file
 * @returns the trusted comment
 * @throws Error that says what is wrong with the signature
 */
export function verifySignature(public_key: string, message: Uint8Array, signature: string): string {
  const known = readPublicKey(public_key)
  if (!known) throw new Error('the public key is not one of minisign')
  const [first = '', second = '', third = '', fourth = ''] = signature.split(/\r?\n/)
  const signed = Buffer.from(second, 'base64')
  const whole = Buffer.from(fourth, 'base64')
  if (!first.startsWith(UNTRUSTED) || !third.startsWith(TRUSTED) || signed.length !== SIGNATURE_BYTES)
    throw new Error('the signature is not one of minisign')
  if (signed.toString('latin1', 0, 2) !== PREHASHED)
    throw new Error('the signature is of an old kind; sign with minisign 0.10 or later, without -l')
  const ids = [known, signed].map((bytes) => nameOf(bytes.subarray(2, 2 + KEY_ID_BYTES)))
  if (ids[0] !== ids[1]) throw new Error(`the signature is of key ${ids[1]}, not of key ${ids[0]}`)
  const key = createPublicKey({
    key: Buffer.concat([DER_PUBLIC, known.subarray(2 + KEY_ID_BYTES)]),
    format: 'der',
    type: 'spki',
  })
  const own = signed.subarray(2 + KEY_ID_BYTES)
  if (!verify(null, hashOf(message), key, own)) throw new Error('the signature is not of this content')
  const comment = third.slice(TRUSTED.length)
  if (!verify(null, Buffer.concat([own, Buffer.from(comment)]), key, whole))
    throw new Error("the signature's comment was changed")
  return comment
}
