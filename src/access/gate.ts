// Owns who is calling: the credential in its accepted forms, the key behind it, and whether both may come in.
import type { Account, Key } from '../db/schema.ts'
import { type GatewayError, permissionDenied, unauthenticated } from '../domain/errors.ts'
import { addressAllowed } from './addresses.ts'
import { hashKey, KEY_PATTERN } from './secret.ts'

/** A key that was found, and the account that pays for its calls. */
export interface Caller {
  key: Key
  account: Account
}

/** Where a surface looks for a key, in this order. */
export type CredentialForm = 'bearer' | 'x-api-key' | 'x-goog-api-key' | 'query'

export const NATIVE_FORMS: readonly CredentialForm[] = ['x-goog-api-key', 'bearer', 'x-api-key', 'query']
export const MESSAGES_FORMS: readonly CredentialForm[] = ['x-api-key', 'bearer']
export const COMMON_FORMS: readonly CredentialForm[] = ['bearer', 'x-api-key']

export interface GateDeps {
  findKey: (sha256: Buffer) => Caller | undefined
  now: () => number
}

/** Lets callers in by their key. */
export interface Gate {
  /**
   * @param credential the key as it came, if any did
   * @param address the caller's address; asked for only where the key is bound to some
   * @throws GatewayError unauthenticated, or permission_denied (suspended account, foreign address)
   */
  admit(credential: string | undefined, address: () => string | undefined): Caller
}

/**
 * For how long a key that was read is believed. Money is not at stake: each hold looks at the key and the account again
 * in its own transaction, so that a revoked key or a suspended account pays for nothing from that moment on.
 */
const KEY_CACHE_TTL_MS = 1_000
const MAX_CACHED_KEYS = 10_000

/** A gate over the keys of a database. */
export function createGate({ findKey, now }: GateDeps): Gate {
  const remembered = new Map<string, { caller: Caller; read_at_ms: number }>()

  function lookUp(credential: string): Caller | undefined {
    const known = remembered.get(credential)
    if (known && now() - known.read_at_ms < KEY_CACHE_TTL_MS) return known.caller
    const caller = findKey(hashKey(credential))
    if (remembered.size >= MAX_CACHED_KEYS) remembered.clear()
    if (caller) remembered.set(credential, { caller, read_at_ms: now() })
    else remembered.delete(credential)
    return caller
  }

  return {
    admit(credential, address) {
      const caller = credential && KEY_PATTERN.test(credential) ? lookUp(credential) : undefined
      if (!caller) throw credential ? unknownKey() : missingKey()
      const { key, account } = caller
      if (key.revoked_at_ms !== null && key.revoked_at_ms <= now()) throw unknownKey()
      if (key.expires_at_ms !== null && key.expires_at_ms <= now()) throw expiredKey()
      if (account.status === 'suspended') throw suspendedAccount()
      if (key.addresses && !addressAllowed(key.addresses, address() ?? '')) throw foreignAddress()
      return caller
    },
  }
}

/** The key that a request carries, in the first of the forms that is present; undefined where there is none. */
export function credentialOf(request: Request, forms: readonly CredentialForm[]): string | undefined {
  for (const form of forms) {
    const credential = READERS[form](request)
    if (credential) return credential
  }
  return undefined
}

const READERS: Record<CredentialForm, (request: Request) => string | undefined> = {
  bearer: (request) => /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1],
  'x-api-key': (request) => request.headers.get('x-api-key')?.trim(),
  'x-goog-api-key': (request) => request.headers.get('x-goog-api-key')?.trim(),
  query: ({ url }) =>
    url.includes('key=') ? (new URL(url).searchParams.get('key') ?? undefined) : undefined,
}

/** Whether a key may call a model: its patterns name it, or it has none. `*` stands for any run of characters. */
export function mayCall(key: Pick<Key, 'models'>, model_id: string): boolean {
  return key.models === null || key.models.some((pattern) => matches(pattern, model_id))
}

function matches(pattern: string, model_id: string): boolean {
  if (!pattern.includes('*')) return pattern === model_id
  const source = pattern.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${source.join('.*')}$`).test(model_id)
}

const missingKey = (): GatewayError =>
  unauthenticated('No API key was sent. Send yours as "Authorization: Bearer <key>".')
export const unknownKey = (): GatewayError =>
  unauthenticated('This API key is not valid. Check that it was copied whole, and that it was not revoked.')
export const expiredKey = (): GatewayError => unauthenticated('This API key has expired. Ask for a new one.')
export const suspendedAccount = (): GatewayError =>
  permissionDenied('This account is suspended. Ask the operator of this gateway to resume it.')
const foreignAddress = (): GatewayError =>
  permissionDenied('This API key may not be used from your address. Call from an address on its list.')
