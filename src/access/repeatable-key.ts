// API keys of repeatable requests: derived from the request's key and content, so that a repeated request after a lost answer gets the same key.
import { hkdfSync } from 'node:crypto'
import { conflict } from '../domain/errors.ts'
import type { Tx } from '../store/db.ts'
import type { Key } from '../store/schema.ts'
import { keyStatus } from './key-status.ts'
import type { Issuance, IssuedKey } from './keys.ts'
import { keyQueries } from './queries.ts'
import { generateKey, hashKey, type RandomBytes } from './secret.ts'

/** 32 random bytes as base64url or hex. As secret as the API key that is derived from it. */
export const REQUEST_KEY_PATTERN = '^[A-Za-z0-9_-]{43,128}$'

/** Derives bytes that only the same request with the same content gets again. */
const bytesOf =
  (request_key: string, content: readonly unknown[]): RandomBytes =>
  (length) =>
    new Uint8Array(hkdfSync('sha256', request_key, '', JSON.stringify(content), length))

interface Repeatable {
  /** Undefined: the request cannot be repeated. */
  request_key: string | undefined
  /** The request's own fields. */
  content: readonly unknown[]
}

/**
 * Issues the key of a request, or returns the key that the same request created before. Stores nothing of the request.
 *
 * @param tx transaction that has locked the account
 * @param issue creates the key
 * @throws GatewayError conflict if that key was revoked; errors of `issue`
 */
export async function issueOnce(
  tx: Tx,
  { request_key, content }: Repeatable,
  issuing: Issuance,
  issue: (issuing: Issuance) => Promise<IssuedKey>,
): Promise<IssuedKey> {
  if (request_key === undefined) return await issue(issuing)
  const randomBytes = bytesOf(request_key, content)
  const text = generateKey(randomBytes)
  const key: Key | undefined = await keyQueries(tx).keyByHash.get({ sha256: hashKey(text) })
  if (!key) return await issue({ ...issuing, randomBytes })
  if (keyStatus(key, issuing.now_ms) === 'revoked')
    throw conflict('The key that this request made is revoked. Send another request_key to make a new one.', {
      code: 'request_key_used',
      param: 'request_key',
    })
  return { key, text }
}
