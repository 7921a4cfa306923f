// The gate: reads the API key of a request, finds the key with its account, and admits or refuses the caller.
import { type AddressMatcher, compileAddresses } from '../domain/addresses.ts'
import { type GatewayError, permissionDenied, unauthenticated } from '../domain/errors.ts'
import { type Arriving, addressOf } from '../http/sockets.ts'
import type { Awaitable, Db } from '../store/db.ts'
import type { Account, Key, SuspensionReason } from '../store/schema.ts'
import type { TextMatcher } from '../utilities/glob.ts'
import { keyStatus } from './key-status.ts'
import { compileModelPatterns } from './model-patterns.ts'
import { accountQueries, keyQueries } from './queries.ts'
import { hashKey, keysToTry } from './secret.ts'
import { suspendedAccount, suspensionOf } from './suspension.ts'

/** A key with its account, both just read from the database. */
export interface KeyOfAccount {
  key: Key
  account: Account
  /** Reason of the account's suspension; absent if it is active. */
  suspended_for?: SuspensionReason | undefined
}

/**
 * Finds a key by its hash, revoked or not. Two selects, because bun:sqlite takes 19 µs for a join of the two tables
 * and 4 µs for both selects (measured).
 *
 * @returns undefined for an unknown key
 */
export async function findKey(db: Db, sha256: Buffer): Promise<KeyOfAccount | undefined> {
  return await withAccount(db, await keyQueries(db).keyByHash.get({ sha256 }))
}

export const findKeyById = async (db: Db, id: number): Promise<KeyOfAccount | undefined> =>
  await withAccount(db, await keyQueries(db).keysById.get({ id }))

async function withAccount(db: Db, key: Key | undefined): Promise<KeyOfAccount | undefined> {
  const account = key && (await accountQueries(db).accountById.get({ id: key.account_id }))
  if (!key || !account) return undefined
  if (account.status !== 'suspended') return { key, account }
  return { key, account, suspended_for: (await suspensionOf(db, account))?.reason }
}

/** An admitted key, and the account that pays for its calls. */
export interface Caller extends KeyOfAccount {
  /** Whether the key may call a model. Compiled when the key is read, not at each call. */
  mayCall: TextMatcher
}

export type CredentialForm =
  | 'x-litellm-api-key'
  | 'bearer'
  | 'x-api-key'
  | 'api-key'
  | 'x-goog-api-key'
  | 'query'

/**
 * The places of a key on a surface, in the order of precedence. LiteLLM's header is first, as in LiteLLM, whose callers may send a provider's own
 * credential in the usual place (litellm 1.110.2, proxy/auth/user_api_key_auth.py, get_api_key).
 */
const formsOf = (...forms: CredentialForm[]): readonly CredentialForm[] => ['x-litellm-api-key', ...forms]

export const NATIVE_FORMS = formsOf('x-goog-api-key', 'bearer', 'x-api-key', 'query')
/** For endpoints that several surfaces share, such as the list of models. */
export const ALL_FORMS: readonly CredentialForm[] = [...NATIVE_FORMS, 'api-key']
export const MESSAGES_FORMS = formsOf('x-api-key', 'bearer')
export const COMMON_FORMS = formsOf('bearer', 'x-api-key', 'api-key')

interface GateDeps {
  findKey: (sha256: Buffer) => Awaitable<KeyOfAccount | undefined>
  /** Finds the key of a request that this process made itself (passes.ts). Called only if the request has no credential. */
  findPassed?: (request: Request) => Awaitable<KeyOfAccount | undefined>
  /** Unix time in milliseconds. */
  now: () => number
}

/** A caller before the check. The IP address is read only if the key has an address list. */
export interface ArrivingCaller extends Arriving {
  /** The key as it was sent; undefined if none was. */
  credential: string | undefined
  /** Receives the key that was found, admitted or not, so that a refusal is recorded for its account. */
  known?: { caller?: KeyOfAccount }
}

/** Lets callers in by their key. */
export interface Gate {
  /**
   * Synchronous if the key is cached, so that most calls do not wait for a promise.
   *
   * @throws GatewayError unauthenticated; permission_denied for a suspended account, or an address that the key does not allow
   */
  admit(arriving: ArrivingCaller): Awaitable<Caller>
}

/**
 * TTL of the key cache. No money is at risk: each hold reads the key and the account again in its own transaction, so a revoked key or a suspended
 * account pays for no further call.
 */
const KEY_CACHE_TTL_MS = 1_000
const MAX_CACHED_KEYS = 10_000

/** A cached key with its compiled settings. */
interface CachedKey {
  caller: Caller
  allowsAddress: AddressMatcher
  read_at_ms: number
}

export function createGate({ findKey, findPassed, now }: GateDeps): Gate {
  const cache = new Map<string, CachedKey>()

  /** For an unknown text, the number of look-ups depends only on its form, and each is by hash, so the time reveals nothing about existing keys. */
  async function findCandidate(credential: string): Promise<KeyOfAccount | undefined> {
    for (const text of keysToTry(credential)) {
      const found = await findKey(hashKey(text))
      if (found) return found
    }
    return undefined
  }

  /** Does not cache unknown keys, so that a new key works at once. */
  async function readKey(credential: string, now_ms: number): Promise<CachedKey | undefined> {
    const found = await findCandidate(credential)
    if (!found) {
      cache.delete(credential)
      return undefined
    }
    if (cache.size >= MAX_CACHED_KEYS) cache.clear()
    const read = compile(found, now_ms)
    cache.set(credential, read)
    return read
  }

  /** Not cached, since requests of the console are few. */
  async function readPassed(request: Request, now_ms: number): Promise<CachedKey | undefined> {
    const found = await findPassed?.(request)
    return found && compile(found, now_ms)
  }

  async function readAndCheck(arriving: ArrivingCaller, now_ms: number): Promise<Caller> {
    const { credential, request } = arriving
    const read = credential ? await readKey(credential, now_ms) : await readPassed(request, now_ms)
    if (!read) throw credential ? unknownKey() : missingKey()
    return checkCaller(arriving, read, now_ms)
  }

  return {
    admit(arriving) {
      const now_ms = now()
      const cached = arriving.credential ? cache.get(arriving.credential) : undefined
      const is_fresh = cached && Math.abs(now_ms - cached.read_at_ms) < KEY_CACHE_TTL_MS
      return is_fresh ? checkCaller(arriving, cached, now_ms) : readAndCheck(arriving, now_ms)
    },
  }
}

/** @throws GatewayError as `Gate.admit` */
function checkCaller(arriving: ArrivingCaller, { caller, allowsAddress }: CachedKey, now_ms: number): Caller {
  const { key, account } = caller
  if (arriving.known) arriving.known.caller = caller
  const status = keyStatus(key, now_ms)
  if (status === 'revoked') throw unknownKey()
  if (status === 'expired') throw expiredKey()
  if (account.status === 'suspended') throw suspendedAccount(caller.suspended_for)
  if (key.addresses && !allowsAddress(addressOf(arriving) ?? '')) throw addressNotAllowed()
  return caller
}

const compile = ({ key, ...of }: KeyOfAccount, read_at_ms: number): CachedKey => ({
  caller: { key, ...of, mayCall: compileModelPatterns(key.models) },
  allowsAddress: compileAddresses(key.addresses),
  read_at_ms,
})

/** Returns the credential of a request from the first form that is present; undefined without one. */
export function credentialOf(request: Request, forms: readonly CredentialForm[]): string | undefined {
  for (const form of forms) {
    const credential = READERS[form](request)
    if (credential) return credential
  }
  return undefined
}

const BEARER = /^Bearer +(\S+) *$/i
/** Callers of new-api and one-api may omit `Bearer`: both use the header's text as the token (sources at `TOKEN` in secret.ts). */
const BARE = /^(sk-\S+|[A-Za-z0-9]{32,128}(?:-\d{1,10})?)$/

const READERS: Record<CredentialForm, (request: Request) => string | undefined> = {
  bearer({ headers }) {
    const text = headers.get('authorization') ?? ''
    return (BEARER.exec(text) ?? BARE.exec(text))?.[1]
  },
  'x-litellm-api-key'({ headers }) {
    return headers
      .get('x-litellm-api-key')
      ?.replace(/^ *Bearer\b/i, '')
      .trim()
  },
  'x-api-key': (request) => request.headers.get('x-api-key')?.trim(),
  'api-key': (request) => request.headers.get('api-key')?.trim(),
  'x-goog-api-key': (request) => request.headers.get('x-goog-api-key')?.trim(),
  query: ({ url }) =>
    url.includes('key=') ? (new URL(url).searchParams.get('key') ?? undefined) : undefined,
}

/** OpenAI's wording, by which clients recognize a wrong key (LiteLLM treats any other 401 of this shape as a 400). */
const WRONG_KEY = 'Incorrect API key provided'

const missingKey = (): GatewayError =>
  unauthenticated(`${WRONG_KEY}: none was sent. Send yours as "Authorization: Bearer <key>".`)
export const unknownKey = (): GatewayError =>
  unauthenticated(`${WRONG_KEY}: it is not valid. Check that it was copied completely and was not revoked.`)
export const expiredKey = (): GatewayError =>
  unauthenticated(`${WRONG_KEY}: it has expired. Ask for a new one.`)
const addressNotAllowed = (): GatewayError =>
  permissionDenied('This API key does not allow your network address. Call from an allowed network.')
