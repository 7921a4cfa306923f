// Encryption of archives in the age format (https://age-encryption.org/v1), which other programs can read.
import { readFile } from 'node:fs/promises'
import { Decrypter, Encrypter, identityToRecipient } from 'age-encryption'
import { invalidRequest, unprocessable } from '../../../src/domain/errors.ts'
import type { BackupLock } from '../settings.ts'

/** The passphrases and keys to try on an archive. */
export interface ArchiveKeys {
  passphrases: readonly string[]
  /** Secret age keys. */
  identities: readonly string[]
  /** Why the passphrase of [backup] is missing: a clause for the operator's message. */
  unset?: string | undefined
}

const BEGINNING = Buffer.from('age-encryption.org/')
export const isEncrypted = (first: Uint8Array): boolean =>
  Buffer.from(first.subarray(0, BEGINNING.length)).equals(BEGINNING)

/** Encrypts a stream. Memory use does not grow with its length. */
export async function encrypted(
  plain: AsyncIterable<Uint8Array>,
  lock: BackupLock,
): Promise<AsyncIterable<Uint8Array>> {
  const encrypter = new Encrypter()
  if ('passphrase' in lock) encrypter.setPassphrase(lock.passphrase)
  else encrypter.addRecipient(lock.recipient)
  return await encrypter.encrypt(streamOf(plain))
}

/** Decrypts a stream. @throws GatewayError unprocessable without a key, or if no key fits */
export async function decrypted(
  ciphertext: AsyncIterable<Uint8Array>,
  { passphrases, identities, unset }: ArchiveKeys,
  archive: string,
): Promise<AsyncIterable<Uint8Array>> {
  if (passphrases.length + identities.length === 0)
    throw unprocessable(
      unset !== undefined
        ? `${archive} is encrypted, and ${unset}. Name the file that sets it with --env-file, or give --passphrase-file FILE.`
        : `${archive} is encrypted: give --passphrase-file FILE, or --key-file FILE with the secret key of age.`,
    )
  const decrypter = new Decrypter()
  for (const passphrase of passphrases) decrypter.addPassphrase(passphrase)
  for (const identity of identities) decrypter.addIdentity(identity)
  try {
    return await decrypter.decrypt(streamOf(ciphertext))
  } catch (cause) {
    throw unprocessable(
      `${archive} cannot be decrypted: the passphrase or key is another one, or the file is damaged. Give the one that it was made with.`,
      { cause },
    )
  }
}

/** Converts an iterable into a stream, with backpressure. */
export function streamOf(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await iterator.return?.()),
  })
}

/** Reads the passphrase from the first line of a file. @throws GatewayError invalid_request if it is empty */
export async function readPassphraseFile(file: string): Promise<string> {
  const [line = ''] = (await readFile(file, 'utf8')).split('\n')
  const passphrase = line.trim()
  if (passphrase === '') throw invalidRequest(`${file}: its first line must be the passphrase, and is empty.`)
  return passphrase
}

const IDENTITY = /^AGE-SECRET-KEY-[A-Z0-9-]+$/
const RECIPIENT = /^age1[a-z0-9]+$/

/** Reads the keys in a file of `age-keygen`, or a file with only a public key. @throws GatewayError invalid_request if it has no key */
export async function readKeyFile(file: string): Promise<{ identities: string[]; recipient: string }> {
  const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.trim())
  const identities = lines.filter((line) => IDENTITY.test(line))
  const [first] = identities
  const recipient =
    first === undefined ? lines.find((line) => RECIPIENT.test(line)) : await identityToRecipient(first)
  if (recipient !== undefined) return { identities, recipient }
  throw invalidRequest(
    `${file}: must hold a key of age, such as \`age-keygen\` writes: a line AGE-SECRET-KEY-…, or age1… to encrypt only.`,
  )
}
