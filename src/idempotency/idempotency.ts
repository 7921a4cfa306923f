// Idempotency-Keys of paid calls: a repeated request gets the same answer again, and is charged once.
import { bodyOf } from '../domain/stored-bytes.ts'
import { deploymentOf } from '../http/azure-paths.ts'
import type { Awaitable } from '../store/db.ts'
import type { IdempotencyKey } from '../store/schema.ts'
import type { PlainSignal } from '../utilities/plain-signal.ts'
import {
  type ConclusionDeps,
  concludeAnswer,
  concludeFailure,
  type FailureOrigin,
  recordStream,
} from './conclusion.ts'
import type { KeptAnswers, KeyedRequest } from './kept-answers.ts'
import { answerLost, keyOfAnotherRequest, malformedIdempotencyKey, requestUnderWay } from './refusals.ts'
import type { CountReplay } from './replays.ts'
import type { KeyOfAccount } from './room.ts'

/** A paid request that is read and not yet paid. */
interface RepeatableCall {
  origin: FailureOrigin & { request: Request }
  account_id: number
  /** The content of the request: its body, or the parts of it that are the same in a repetition. */
  content: readonly (Uint8Array | string)[]
  streams: boolean
  /** Fires when the caller no longer waits for the answer. */
  gone: PlainSignal
  /** Called before the request is served, maybe twice; not before a kept answer. @throws GatewayError if no call may begin */
  mayBegin: () => Promise<void> | undefined
}

export interface Idempotency {
  /**
   * Serves a paid request, once for each Idempotency-Key of an account.
   *
   * Once a call has started, with its hold, its end is kept for 24 hours, as Stripe does
   * (https://docs.stripe.com/api/idempotent_requests): a complete answer, whole or streamed, or a refusal that the same
   * request would get again, such as for a prompt that the provider's moderation blocks. The same request with the same key
   * then gets the same status, headers and bytes, with `idempotent-replayed: true`.
   *
   * The key becomes free after every end that cost nothing and may succeed next time: refusals before the hold, provider
   * failures and timeouts, callers who disconnected before anything was charged. Stripe keeps those, too; here a client that
   * retries automatically, as the providers' SDKs do, would only get its 502 again.
   *
   * The ledger decides what was charged, so this also holds after a crash: if a request was charged, but its answer was not
   * kept, or was dropped for newer ones, its repetition is refused instead of charged again. Only an account that uses more
   * keys in 24 hours than the catalogue allows (`[server] idempotency_keys_per_account`) loses its oldest ones.
   * @param key as from `keyOf` @param serve holds, dispatches and settles under the call's request id
   * @throws GatewayError as `serve`; invalid_request for a malformed key; conflict while the first request is in progress, or if
   * its answer was charged but interrupted, too large to keep, or dropped; unprocessable for another request
   */
  once(key: string, call: RepeatableCall, serve: () => Promise<Response>): Promise<Response>
  /** Whether an answer is kept under a request's key. The body is not read yet, so it may still be another request. */
  mayRepeat(account_id: number, request: Request): Awaitable<boolean>
  /** Deletes keys that are older than 24 hours. */
  sweep(): Promise<void>
  /** Called in each sweep by gateways that share the database: as `KeptAnswers.followOthers`. */
  followOthers(): Promise<void>
  /** Deletes files that a dead process left behind. Only at start, by the folder's only gateway. */
  recover(): Promise<void>
}

interface IdempotencyDeps extends ConclusionDeps {
  /** Called for each kept answer that is sent again. */
  countReplay: CountReplay
}

interface State extends IdempotencyDeps {
  /** The hashes of the requests that this process is serving, by `nameOf` their keys. */
  under_way: Map<string, Buffer>
}

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

export function createIdempotency(deps: IdempotencyDeps): Idempotency {
  const state: State = { ...deps, under_way: new Map() }
  return {
    once: (key, call, serve) => once(key, state, call, serve),
    mayRepeat(account_id, request) {
      const key = keyOf(request)
      return key !== null && isAnswered(deps.answers, { account_id, key })
    },
    sweep: deps.answers.sweep,
    followOthers: () => deps.answers.followOthers((row) => state.under_way.has(nameOf(row))),
    recover: deps.answers.removeStrays,
  }
}

async function isAnswered(answers: KeptAnswers, request: KeyOfAccount): Promise<boolean> {
  const found = await answers.find(request)
  return typeof found?.status === 'number'
}

/** Returns a request's Idempotency-Key; null if it has none. */
export const keyOf = (request: Request): string | null => request.headers.get('idempotency-key')

async function once(
  key: string,
  state: State,
  call: RepeatableCall,
  serve: () => Promise<Response>,
): Promise<Response> {
  const { origin, account_id, content } = call
  if (!KEY.test(key)) throw malformedIdempotencyKey()
  const request_sha256 = hashOf(origin.request, content)
  const keyed = { account_id, key, request_sha256, request_id: origin.request_id }
  for (;;) {
    const found = await find(state, keyed)
    if (found && found.status !== null) return await replay(state, keyed, found)
    const counting = call.mayBegin()
    if (counting) await counting
    // No await from here until the key is in `under_way`, so that no other request can find it free in between.
    refuseUnderWay(state, keyed)
    const answer = await serveFirst(state, keyed, found?.request_id, call, serve)
    if (answer) return answer
  }
}

/**
 * Returns the row of a request's key. Without an answer, or without a row, the key is free. The row's request may have ended
 * since the row was read, so its effects are looked up again.
 */
async function find(state: State, keyed: KeyedRequest): Promise<IdempotencyKey | undefined> {
  const { answers } = state
  for (;;) {
    refuseUnderWay(state, keyed)
    const found = await answers.find(keyed)
    if (!found) return undefined
    if (!keyed.request_sha256.equals(found.request_sha256)) throw keyOfAnotherRequest()
    if (found.status !== null) return found
    refuseUnderWay(state, keyed)
    if ((await answers.isElsewhere(found)) || (await answers.isHeld(found))) throw requestUnderWay()
    const call = await answers.callOf(found)
    if (!call || call.cost_nanos === 0) return found
    const now = await answers.find(keyed)
    if (now?.request_id === found.request_id && now.status === null) throw answerLost()
  }
}

/** @throws GatewayError if this process is serving a request with the key */
function refuseUnderWay({ under_way }: State, keyed: KeyedRequest): void {
  const sha256 = under_way.get(nameOf(keyed))
  if (sha256) throw keyed.request_sha256.equals(sha256) ? requestUnderWay() : keyOfAnotherRequest()
}

async function replay(
  { answers, log, countReplay }: State,
  keyed: KeyedRequest,
  found: IdempotencyKey,
): Promise<Response> {
  const body = await answers.open(found)
  if (body === undefined || found.status === null) throw answerLost()
  countReplay(found.id)
  log.info({ request_id: keyed.request_id, original_request_id: found.request_id }, 'kept answer sent again')
  const headers = new Headers(found.headers ?? [])
  headers.set('idempotent-replayed', 'true')
  return new Response(bodyOf(body), { status: found.status, headers })
}

/**
 * Serves the first request. Its key is in `under_way` before the first `await`, and is then taken over from the request that had it.
 * @returns undefined if the key changed in between
 */
async function serveFirst(
  state: State,
  keyed: KeyedRequest,
  previous_id: string | undefined,
  { origin, streams, gone }: RepeatableCall,
  serve: () => Promise<Response>,
): Promise<Response | undefined> {
  const { answers, under_way } = state
  const { request_sha256 } = keyed
  const name = nameOf(keyed)
  // A stream may end twice, and another request may have the key by then.
  const end = () => void (under_way.get(name) === request_sha256 && under_way.delete(name))
  under_way.set(name, request_sha256)
  let ends_later = false
  try {
    if (!(await answers.begin(keyed, previous_id, (row) => under_way.has(nameOf(row))))) return undefined
    const answer = await serve()
    const kept = streams
      ? recordStream(state, keyed, answer, gone, end)
      : await concludeAnswer(state, keyed, answer, end)
    ends_later = true
    return kept
  } catch (thrown) {
    await concludeFailure(state, keyed, thrown, origin)
    throw thrown
  } finally {
    if (!ends_later) end()
  }
}

const nameOf = ({ account_id, key }: KeyOfAccount): string => `${account_id} ${key}`

/** Returns a request's hash. A credential in the URL (`?key=`) is left out, since it is not part of the request's content. */
function hashOf(request: Request, content: RepeatableCall['content']): Buffer {
  const { pathname, searchParams } = new URL(request.url)
  searchParams.delete('key')
  const hash = new Bun.CryptoHasher('sha256').update(`${request.method} ${pathname}?${searchParams}\n`)
  hash.update(deploymentOf(request) ?? '')
  for (const part of content) hash.update(part)
  return hash.digest()
}
