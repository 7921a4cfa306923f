// The base of every console route: the signed-in viewer, requests of our own pages only, JSON within a size limit, no caching.

import { confirmViewer } from '../../../access/confirm-viewer.ts'
import { type Right, requireRight } from '../../../access/rights.ts'
import type { Visitor } from '../../../access/session-rows.ts'
import { accountOf, actorOf, type Viewer } from '../../../access/viewer.ts'
import type { CallOrigin } from '../../../calls/life/call.ts'
import type { ActionContext } from '../../../domain/actions.ts'
import { GatewayError, rateLimited } from '../../../domain/errors.ts'
import { readJson } from '../../../http/json-request.ts'
import { doubledParameters } from '../../../http/parameters.ts'
import { ErrorBody } from '../../../http/plain-error.ts'
import { failures } from '../../../http/schema.ts'
import { addressOf } from '../../../http/sockets.ts'
import type { Awaitable, Tx } from '../../../store/db.ts'
import { counted } from '../../../utilities/counted.ts'
import { openCalls } from '../calls.ts'
import { noEndpoint } from '../elysia-errors.ts'
import type { Gateway } from '../gateway.ts'
import { consoleError } from './meanwhile.ts'
import { requireOwnOrigin, type SiteSettings, tokenOf } from './site.ts'

/** The parts of the gateway that most console routes use. */
export type ConsoleParts = Pick<Gateway, 'calls' | 'requests' | 'people' | 'db'>
type SessionParts = Omit<ConsoleParts, 'db'>

const SURFACE = { surface: 'console', forms: [], render: consoleError }

const KB = 1_024
/** The maximum JSON body by kind of route. Reading one blocks the event loop for about 5 ms per megabyte, and longer if it has faults. */
const BODY_LIMITS = {
  /** A name and a password. */
  visitor: 16 * KB,
  /** A key with all of its limits. */
  viewer: 256 * KB,
  /** A catalogue of some thousand models. */
  operator: 2_048 * KB,
}

/** More than pages need: a gallery of a hundred pictures, reloaded every five seconds. A request with a body counts twice. */
const MAX_CALLS_A_MINUTE = 1_200

export const FAILURES = failures(ErrorBody, 400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503)

interface CallsOptions {
  /** `own`: the routes read their own bytes (`parse: 'none'`), such as uploads. `json` is the default. */
  bodies?: 'json' | 'own'
  /** The weight of a call in the account's rate limit, for calls that use more of the event loop; 1 if absent. */
  counts_as?: number
  /** The right that all the routes require. */
  reads?: Right
  /** The right that methods other than GET and HEAD require in addition. */
  changes?: Right
}

/**
 * Routes for signed-in people. They receive the `viewer`, who may see only the rows of `accountOf(viewer)`. Changes require the operator
 * unless the options name another right.
 * @throws (as an answer) 401 without a session, 403 without the right or from a page of another origin, before the body is read
 */
export const viewerCalls = (gateway: SessionParts, options: CallsOptions = {}) =>
  signedInCalls(gateway, { reads: 'read', changes: 'operate', limit_bytes: BODY_LIMITS.viewer, ...options })

/** Routes for staff: all staff read, and operators change, unless the options name other rights. 403 for other viewers. */
export const operatorCalls = (gateway: SessionParts, options: CallsOptions = {}) =>
  signedInCalls(gateway, {
    reads: 'read_all',
    changes: 'operate',
    limit_bytes: BODY_LIMITS.operator,
    ...options,
  })

const signedInCalls = (
  gateway: SessionParts,
  { reads, changes, counts_as, ...options }: Required<Pick<CallsOptions, 'reads' | 'changes'>> & Limited,
) =>
  admittedCalls(gateway, options, async (entering) => {
    const viewer = await viewerOf(gateway, entering)
    requireRight(viewer, reads)
    if (!READING.has(entering.request.method)) requireRight(viewer, changes)
    countCall(gateway, viewer, counts_as)
    return viewer
  })

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** Public routes for signing in. They receive a `viewer` if the person is already signed in. */
export const visitorCalls = (gateway: SessionParts) =>
  admittedCalls(gateway, { limit_bytes: BODY_LIMITS.visitor }, (entering) => viewerIfAny(gateway, entering))

/** A viewer and their request. */
export interface Requester {
  viewer: Viewer
  origin: CallOrigin
}

/** The actor of a request's changes, for the audit log. */
export const byOf = ({ calls }: Pick<Gateway, 'calls'>, { viewer, origin }: Requester): ActionContext => ({
  actor: actorOf(viewer, addressOf(origin)),
  now_ms: calls.now(),
  request_id: origin.request_id,
})

/**
 * Runs writes in one transaction, after the viewer's session and rights are confirmed in it.
 * @param request its viewer is the actor in the audit log
 * @throws GatewayError as `confirmViewer`
 */
export const changed = <T>(
  gateway: Pick<Gateway, 'db' | 'calls'>,
  request: Requester,
  work: (tx: Tx) => Awaitable<T>,
): Promise<T> =>
  gateway.db.begin(
    async (tx) => {
      await confirmViewer(tx, request.viewer)
      return await work(tx)
    },
    { by: byOf(gateway, request) },
  )

/** The settings that decide a request's allowed origins and cookies. */
export function siteSettings({ calls: { catalogue } }: Pick<Gateway, 'calls'>): SiteSettings {
  const { server, console } = catalogue()
  return { public_url: server.public_url, insecure_http: console.insecure_http }
}

/** The sender of a request: its address and browser. */
export const visitorOf = (origin: CallOrigin): Visitor => ({
  request_id: origin.request_id,
  address: addressOf(origin),
  user_agent: origin.request.headers.get('user-agent') ?? '',
})

/** @throws GatewayError not_found if the operator has switched the console off */
export function requireConsole({ calls: { catalogue } }: Pick<Gateway, 'calls'>): void {
  if (!catalogue().console.enabled) throw noEndpoint()
}

const viewerOf = (gateway: SessionParts, { request, request_id }: NewRequest): Promise<Viewer> =>
  gateway.people.sessions.viewer(
    tokenOf(request, siteSettings(gateway)),
    addressOf({ request, sockets: gateway.requests.sockets }),
    request_id,
  )

/**
 * Counts a call of an account's pages, which share the event loop with all paid calls. The operator's calls are not counted.
 * @param counts_as the weight, above 1 for calls that take longer or store something
 * @throws GatewayError rate_limited
 */
export function countCall({ people }: Pick<Gateway, 'people'>, viewer: Viewer, counts_as = 1): void {
  const account_id = accountOf(viewer)
  if (account_id === undefined) return
  const { admitted, resets_in_s: retry_after_s } = people.page_calls.take(
    account_id,
    MAX_CALLS_A_MINUTE,
    counts_as,
  )
  if (admitted) return
  throw rateLimited(
    `The pages of this account sent more than ${MAX_CALLS_A_MINUTE} requests in a minute. Try again in ${counted(retry_after_s, 'second')}. Use the API for automation.`,
    { retry_after_s },
  )
}

/**
 * Counts an export of an account. Exports have a separate limit, so that they never block pages. The operator's are not counted.
 * @returns a function to call at the end of the export
 * @throws GatewayError rate_limited
 */
export function beginExport({ people }: Pick<Gateway, 'people'>, viewer: Viewer): () => void {
  const account_id = accountOf(viewer)
  return account_id === undefined ? () => {} : people.exports.begin(account_id)
}

/** Returns the signed-in viewer, if any. */
export async function viewerIfAny(gateway: SessionParts, entering: NewRequest): Promise<Viewer | undefined> {
  try {
    return await viewerOf(gateway, entering)
  } catch (thrown) {
    // Dropped: no valid session. The person is about to sign in.
    if (thrown instanceof GatewayError) return undefined
    throw thrown
  }
}

type Limited = CallsOptions & { limit_bytes: number }

/** A request before admission. It has no ID until its body is read. */
type NewRequest = Pick<CallOrigin, 'request'> & Partial<Pick<CallOrigin, 'request_id'>>

/** Admits a request with a body twice: before the body is read, which Elysia does first, and then for the route. */
function admittedCalls<V>(
  gateway: Pick<Gateway, 'calls' | 'requests'>,
  { bodies = 'json', limit_bytes }: Limited,
  admit: (entering: NewRequest) => Promise<V>,
) {
  const enter = async (entering: NewRequest): Promise<V> => {
    requireConsole(gateway)
    const viewer = await admit(entering)
    requireOwnOrigin(entering.request, siteSettings(gateway))
    return viewer
  }
  const open = openCalls(gateway, SURFACE)
    .derive({ as: 'scoped' }, async ({ origin }) => ({ viewer: await enter(origin) }))
    // Makes the holds of running calls visible to pages.
    .onBeforeHandle({ as: 'scoped' }, () => gateway.calls.ledger.barrier())
    .onTransform({ as: 'scoped' }, ({ query, request }) => {
      Object.assign(query, doubledParameters(request.url))
    })
  // With a parser and a route's `parse: 'none'`, Elysia would look for a parser called "none".
  if (bodies === 'json')
    open.onParse({ as: 'scoped' }, async ({ request }) => {
      await enter({ request })
      return await readJson(request, limit_bytes)
    })
  return open
}
