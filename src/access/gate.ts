// The gate: reads a caller's key from the request and lets the key and its account in, or refuses them; the key behind a hash, with the account that pays for its calls.
import { type AddressMatcher, compileAddresses } from '../domain/addresses.ts'
import { type GatewayError, permissionDenied, unauthenticated } from '../domain/errors.ts'
import { type Arriving, addressOf } from '../http/sockets.ts'
import type { Awaitable, Db } from '../store/db.ts'
import type { Account, Key, SuspensionReason } from '../store/schema.ts'
import type { TextMatcher } from '../utilities/glob.ts'
import { keyStatus } from './key-status.ts'
import { compileModelPatterns } from './model-patterns.ts'
import { accountQueries, keyQueries } from './queries.ts'
import { hashKey, keysMeantBy } from './secret.ts'
import { suspendedAccount, suspensionOf } from './suspension.ts'

/** A key with the account that it belongs to, both as they are at this moment. */
export interface KeyOfAccount {
  key: Key
  account: Account
  /** Why the account is suspended; absent where it is not. */
  suspended_for?: SuspensionReason | undefined
}

/**
 * Finds a key by its hash, revoked or not. Two selects, because bun:sqlite takes 19 µs over one join of the two tables
 * and 4 µs over both selects (measured).
 *
 * @returns undefined when there is no such key
 */
export async function findKey(db: Db, sha256: Buffer): Promise<KeyOfAccount | undefined> {
  return await withAccount(db, await keyQueries(db).keyByHash.get({ sha256 }))
}

/** The same for a key's own number. */
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
  /** Whether the key may call a model. Compiled from the key's patterns when the key is read, not at each call. */
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
 * Where a surface looks for a key, in this order. LiteLLM's header is first, as there: its callers send a provider's own credential in the
 * usual place beside it (litellm 1.110.2, proxy/auth/user_api_key_auth.py, get_api_key).
 */
const formsOf = (...forms: CredentialForm[]): readonly CredentialForm[] => ['x-litellm-api-key', ...forms]

export const NATIVE_FORMS = formsOf('x-goog-api-key', 'bearer', 'x-api-key', 'query')
/** Where several surfaces meet, as in the list of models. */
export const ALL_FORMS: readonly CredentialForm[] = [...NATIVE_FORMS, 'api-key']
export const MESSAGES_FORMS = formsOf('x-api-key', 'bearer')
export const COMMON_FORMS = formsOf('bearer', 'x-api-key', 'api-key')

interface GateDeps {
  findKey: (sha256: Buffer) => Awaitable<KeyOfAccount | undefined>
  /** The key that a request was given inside the process (passes.ts). Asked only where it carries none. */
  findPassed?: (request: Request) => Awaitable<KeyOfAccount | undefined>
  /** Unix time in milliseconds. */
  now: () => number
}

/** A caller before the check: the IP address is read only where the key has an address list. */
export interface ArrivingCaller extends Arriving {
  /** The key as it was sent; undefined if none was. */
  credential: string | undefined
  /** Takes the key that was found, let in or not: a refusal is recorded for whom it concerns. */
  known?: { caller?: KeyOfAccount }
}

/** Lets callers in by their key. */
export interface Gate {
  /**
   * At once where the key is cached, so that most calls wait for no promise.
   *
   * @throws GatewayError unauthenticated; permission_denied for a suspended account, or an address off the key's list
   */
  admit(comer: ArrivingCaller): Awaitable<Caller>
}

/**
 * How long a key that was read is served from the key cache. Money is not at stake: each hold reads the key and the
 * account again in its own transaction, so that a revoked key or a suspended account pays for nothing from that moment.
 */
const KEY_CACHE_TTL_MS = 1_000
const MAX_CACHED_KEYS = 10_000

/** A key in the cache, with what is compiled from its settings. */
interface CachedKey {
  caller: Caller
  allowsAddress: AddressMatcher
  read_at_ms: number
}

/** A gate over the keys of a database. */
export function createGate({ findKey, findPassed, now }: GateDeps): Gate {
  const cache = new Map<string, CachedKey>()

  /** How many look-ups an unknown text takes depends on its form alone, and each is of a hash: the time tells nothing of the keys there are. */
  async function findMeant(credential: string): Promise<KeyOfAccount | undefined> {
    for (const text of keysMeantBy(credential)) {
      const found = await findKey(hashKey(text))
      if (found) return found
    }
    return undefined
  }

  /** Keys that do not exist are not cached, so that a new key works at once. */
  async function readKey(credential: string, now_ms: number): Promise<CachedKey | undefined> {
    const found = await findMeant(credential)
    if (!found) {
      cache.delete(credential)
      return undefined
    }
    if (cache.size >= MAX_CACHED_KEYS) cache.clear()
    const read = compile(found, now_ms)
    cache.set(credential, read)
    return read
  }

  /** Read anew for each request: the console's are few. */
  async function readPassed(request: Request, now_ms: number): Promise<CachedKey | undefined> {
    const found = await findPassed?.(request)
    return found && compile(found, now_ms)
  }

  async function readAndCheck(comer: ArrivingCaller, now_ms: number): Promise<Caller> {
    const { credential, request } = comer
    const read = credential ? await readKey(credential, now_ms) : await readPassed(request, now_ms)
    if (!read) throw credential ? unknownKey() : missingKey()
    return checkCaller(comer, read, now_ms)
  }

  return {
    admit(comer) {
      const now_ms = now()
      const cached = comer.credential ? cache.get(comer.credential) : undefined
      const is_fresh = cached && now_ms - cached.read_at_ms < KEY_CACHE_TTL_MS
      return is_fresh ? checkCaller(comer, cached, now_ms) : readAndCheck(comer, now_ms)
    },
  }
}

/** @throws GatewayError as `Gate.admit` */
function checkCaller(comer: ArrivingCaller, { caller, allowsAddress }: CachedKey, now_ms: number): Caller {
  const { key, account } = caller
  if (comer.known) comer.known.caller = caller
  const status = keyStatus(key, now_ms)
  if (status === 'revoked') throw unknownKey()
  if (status === 'expired') throw expiredKey()
  if (account.status === 'suspended') throw suspendedAccount(caller.suspended_for)
  if (key.addresses && !allowsAddress(addressOf(comer) ?? '')) throw addressNotAllowed()
  return caller
}

const compile = ({ key, ...of }: KeyOfAccount, read_at_ms: number): CachedKey => ({
  caller: { key, ...of, mayCall: compileModelPatterns(key.models) },
  allowsAddress: compileAddresses(key.addresses),
  read_at_ms,
})

/** The key that a request carries, in the first form that is present; undefined if not found. */
export function credentialOf(request: Request, forms: readonly CredentialForm[]): string | undefined {
  for (const form of forms) {
    const credential = READERS[form](request)
    if (credential) return credential
  }
  return undefined
}

const BEARER = /^Bearer +(\S+) *$/i
/** Callers of new-api and one-api may leave out `Bearer`: both take the header's text for the token (`TOKEN` in secret.ts has the sources). */
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

/** OpenAI's words, by which clients tell a wrong key from other refusals (LiteLLM takes any other 401 of its shape for a 400). */
const WRONG_KEY = 'Incorrect API key provided'

const missingKey = (): GatewayError =>
  unauthenticated(`${WRONG_KEY}: none was sent. Send yours as "Authorization: Bearer <key>".`)
export const unknownKey = (): GatewayError =>
  unauthenticated(`${WRONG_KEY}: it is not valid. Check that it was copied completely and was not revoked.`)
export const expiredKey = (): GatewayError =>
  unauthenticated(`${WRONG_KEY}: it has expired. Ask for a new one.`)
const addressNotAllowed = (): GatewayError =>
  permissionDenied('This API key does not allow your network address. Call from an allowed network.')
