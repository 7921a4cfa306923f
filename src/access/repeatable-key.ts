// The API key of a request that can be repeated: made from the request's own key and content, so that a lost answer can be asked for again.
import { hkdfSync } from 'node:crypto'
import { conflict } from '../domain/errors.ts'
import type { Tx } from '../store/db.ts'
import type { Key } from '../store/schema.ts'
import { keyStatus } from './key-status.ts'
import type { IssuedKey, Issuing } from './keys.ts'
import { keyQueries } from './queries.ts'
import { generateKey, hashKey, type RandomBytes } from './secret.ts'

/** 32 random bytes as base64url or hex. It is as secret as the API key that is made from it. */
export const REQUEST_KEY_PATTERN = '^[A-Za-z0-9_-]{43,128}$'

/** Bytes that only this request has, and has again when it is repeated. Another content has others. */
const bytesOf =
  (request_key: string, content: readonly unknown[]): RandomBytes =>
  (length) =>
    new Uint8Array(hkdfSync('sha256', request_key, '', JSON.stringify(content), length))

interface Repeatable {
  /** Undefined: it cannot be repeated. */
  request_key: string | undefined
  /** The request's own fields. */
  content: readonly unknown[]
}

/**
 * Issues the key of a request, or gives the one that the same request has made before. Nothing of the request is stored.
 *
 * @param tx in which nobody else makes keys for the account
 * @param issue makes the key
 * @throws GatewayError conflict if that key was revoked since; what `issue` throws
 */
export async function issueOnce(
  tx: Tx,
  { request_key, content }: Repeatable,
  issuing: Issuing,
  issue: (issuing: Issuing) => Promise<IssuedKey>,
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
