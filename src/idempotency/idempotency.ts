// Idempotency-Keys of paid calls: a request that is sent again gets the same answer again, and is charged once.
import type { IdempotencyKey } from '../db/schema.ts'
import type { PlainSignal } from '../utilities/plain-signal.ts'
import {
  type ConclusionDeps,
  concludeAnswer,
  concludeFailure,
  type FailureOrigin,
  recordStream,
} from './conclusion.ts'
import type { KeyedRequest } from './kept-answers.ts'
import { anotherRequest, answerIsLost, malformedKey, stillUnderWay } from './refusals.ts'
import type { CountReplay } from './replays.ts'
import type { KeyOfAccount } from './room.ts'

/** A paid request that was read, and not yet paid for. */
export interface RepeatableCall {
  origin: FailureOrigin & { request: Request }
  account_id: number
  /** What the request says: its body, or those parts of it that are the same when it is sent again. */
  content: readonly (Uint8Array | string)[]
  streams: boolean
  /** Fires when the caller no longer waits for the answer. */
  gone: PlainSignal
  /** Asked before it is served, not before it is answered again. @throws GatewayError if no call may begin */
  mayBegin: () => void
}

export interface Idempotency {
  /**
   * Serves a paid request, once for each Idempotency-Key of an account.
   *
   * Once a call has begun, which is from its hold on, its end is kept for 24 hours, as Stripe does
   * (https://docs.stripe.com/api/idempotent_requests): a complete answer, whole or streamed, or a refusal that the same
   * request would get again, such as a prompt that the provider's moderation blocks. The same request with the same key
   * then gets the same status, headers and bytes, with `idempotent-replayed: true`.
   *
   * The key becomes free after everything that cost nothing and may succeed next time: refusals before the hold,
   * provider failures and time-outs, callers who left before anything was charged. Stripe keeps those too; here a client
   * that retries by itself, as the providers' SDKs do, would only get its 502 again.
   *
   * The ledger decides what was charged, so this holds across a crash: a request that was charged, but whose answer was
   * not kept, or was given up for newer ones, is refused instead of charged again. Only an account that uses more keys in
   * 24 hours than the catalogue lets it (`[server] idempotency_keys_per_account`) forgets its oldest ones.
   *
   * @param key as `keyOf` @param serve holds, dispatches and settles under the call's request id
   * @throws GatewayError what `serve` throws; invalid_request for a malformed key; conflict while the first request is
   * under way, or where its answer was charged but broken off, too large to keep, or given up; unprocessable for another request
   */
  once(key: string, call: RepeatableCall, serve: () => Promise<Response>): Promise<Response>
  /** Whether an answer is kept under a request's key: known before its body is read, by which it may still be another request. */
  mayRepeat(account_id: number, request: Request): boolean
  /** Deletes what is older than 24 hours. */
  sweep(): Promise<void>
  /** Deletes the files that a dead process left behind. Only at start. */
  recover(): Promise<void>
}

export interface IdempotencyDeps extends ConclusionDeps {
  /** Told of each answer that is sent again. */
  countReplay: CountReplay
}

interface State extends IdempotencyDeps {
  /** The keys whose requests this process is serving, as `nameOf`. */
  under_way: Set<string>
}

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

/** Idempotency over kept answers. */
export function createIdempotency(deps: IdempotencyDeps): Idempotency {
  const state: State = { ...deps, under_way: new Set() }
  return {
    once: (key, call, serve) => once(key, state, call, serve),
    mayRepeat(account_id, request) {
      const key = keyOf(request)
      return key !== null && typeof deps.answers.find({ account_id, key })?.status === 'number'
    },
    sweep: deps.answers.sweep,
    recover: deps.answers.removeStrays,
  }
}

/** A request's Idempotency-Key; null if it has none. */
export const keyOf = (request: Request): string | null => request.headers.get('idempotency-key')

async function once(
  key: string,
  state: State,
  call: RepeatableCall,
  serve: () => Promise<Response>,
): Promise<Response> {
  const { origin, account_id, content } = call
  if (!KEY.test(key)) throw malformedKey()
  const request_sha256 = hashOf(origin.request, content)
  const keyed = { account_id, key, request_sha256, request_id: origin.request_id }
  const found = find(state, keyed)
  if (found) return replay(state, keyed, found)
  call.mayBegin()
  return serveFirst(state, keyed, call, serve)
}

/** The answer that is kept under a request's key; undefined if the key is free. */
function find({ answers, under_way }: State, keyed: KeyedRequest): IdempotencyKey | undefined {
  const found = answers.find(keyed)
  if (!found) return undefined
  if (!keyed.request_sha256.equals(found.request_sha256)) throw anotherRequest()
  if (found.status !== null) return found
  if (under_way.has(nameOf(keyed)) || answers.isHeld(found)) throw stillUnderWay()
  if ((answers.callOf(found)?.cost_nanos ?? 0) > 0) throw answerIsLost()
  return undefined
}

async function replay(
  { answers, log, countReplay }: State,
  keyed: KeyedRequest,
  found: IdempotencyKey,
): Promise<Response> {
  const body = await answers.open(found)
  if (body === undefined || found.status === null) throw answerIsLost()
  countReplay(found.id)
  log.info({ request_id: keyed.request_id, original_request_id: found.request_id }, 'kept answer sent again')
  const headers = new Headers(found.headers ?? [])
  headers.set('idempotent-replayed', 'true')
  return new Response(body, { status: found.status, headers })
}

/** Takes the key before its first `await`: no other request can find it free in between. */
async function serveFirst(
  state: State,
  keyed: KeyedRequest,
  { origin, streams, gone }: RepeatableCall,
  serve: () => Promise<Response>,
): Promise<Response> {
  const name = nameOf(keyed)
  const end = () => void state.under_way.delete(name)
  state.under_way.add(name)
  let ends_later = false
  try {
    await state.answers.begin(keyed, (row) => state.under_way.has(nameOf(row)))
    const answer = await serve()
    if (!streams) return await concludeAnswer(state, keyed, answer)
    const recorded = recordStream(state, keyed, answer, gone, end)
    ends_later = true
    return recorded
  } catch (thrown) {
    await concludeFailure(state, keyed, thrown, origin)
    throw thrown
  } finally {
    if (!ends_later) end()
  }
}

const nameOf = ({ account_id, key }: KeyOfAccount): string => `${account_id} ${key}`

/** The hash of a request. The credential in an address (`?key=`) is left out: it is no part of the request's content. */
function hashOf({ method, url }: Request, content: RepeatableCall['content']): Buffer {
  const { pathname, searchParams } = new URL(url)
  searchParams.delete('key')
  const hash = new Bun.CryptoHasher('sha256').update(`${method} ${pathname}?${searchParams}\n`)
  for (const part of content) hash.update(part)
  return hash.digest()
}
