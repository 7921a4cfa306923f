// The base of every route of the console: the signed-in viewer, pages of our own only, JSON within a limit, nothing cached.

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

/** The parts of the gateway that most routes of the console use. */
export type ConsoleParts = Pick<Gateway, 'calls' | 'requests' | 'people' | 'db'>
type SessionParts = Omit<ConsoleParts, 'db'>

const SURFACE = { surface: 'console', forms: [], render: consoleError }

const KB = 1_024
/** The largest JSON body of each: reading one takes the event loop some 5 ms a megabyte, and what is wrong in it more. */
const BODY_LIMITS = {
  /** A name and a password. */
  visitor: 16 * KB,
  /** A key with all of its limits. */
  viewer: 256 * KB,
  /** A catalogue of some thousand models. */
  operator: 2_048 * KB,
}

/** More than a person at its pages comes to: a gallery of a hundred pictures, every five seconds. A body counts as another call. */
const MAX_CALLS_A_MINUTE = 1_200

export const FAILURES = failures(ErrorBody, 400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503)

interface CallsOptions {
  /** `own`: the routes read their own bytes (`parse: 'none'`), such as uploads. `json` is the default. */
  bodies?: 'json' | 'own'
  /** How many calls one of an account counts as, where it takes the event loop longer than others; 1 where absent. */
  counts_as?: number
  /** The right that all of the routes ask for. */
  reads?: Right
  /** The right that all but GET ask for, besides. */
  changes?: Right
}

/**
 * Routes for whoever is signed in: they get their `viewer`, who sees what `accountOf` says, and no more. Changes are the operator's unless
 * the options name another right.
 * @throws (as an answer) 401 without a session, 403 without the right and from a page of another origin, before anything of the body is read
 */
export const viewerCalls = (gateway: SessionParts, options: CallsOptions = {}) =>
  rightfulCalls(gateway, { reads: 'read', changes: 'operate', limit_bytes: BODY_LIMITS.viewer, ...options })

/** Routes for the staff: all of them read, and operators change, unless the options name other rights. 403 for all others who are signed in. */
export const operatorCalls = (gateway: SessionParts, options: CallsOptions = {}) =>
  rightfulCalls(gateway, {
    reads: 'read_all',
    changes: 'operate',
    limit_bytes: BODY_LIMITS.operator,
    ...options,
  })

const rightfulCalls = (
  gateway: SessionParts,
  { reads, changes, counts_as, ...options }: Required<Pick<CallsOptions, 'reads' | 'changes'>> & Limited,
) =>
  admitting(gateway, options, async (entering) => {
    const viewer = await viewerOf(gateway, entering)
    requireRight(viewer, reads)
    if (!READING.has(entering.request.method)) requireRight(viewer, changes)
    countCall(gateway, viewer, counts_as)
    return viewer
  })

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** Routes for anybody, to sign in. They get as `viewer` whoever is signed in already. */
export const visitorCalls = (gateway: SessionParts) =>
  admitting(gateway, { limit_bytes: BODY_LIMITS.visitor }, (entering) => viewerIfAny(gateway, entering))

/** Somebody at a page, and the request by which they do something. */
export interface Asking {
  viewer: Viewer
  origin: CallOrigin
}

/** The author of a request's changes, as the audit log has it. */
export const byOf = ({ calls }: Pick<Gateway, 'calls'>, { viewer, origin }: Asking): ActionContext => ({
  actor: actorOf(viewer, addressOf(origin)),
  now_ms: calls.now(),
  request_id: origin.request_id,
})

/**
 * Writes to the database beside the calls, in one transaction. @param asking whose change it is in the audit log
 * @throws GatewayError as `confirmViewer`
 */
export const changed = <T>(
  gateway: Pick<Gateway, 'db' | 'calls'>,
  asking: Asking,
  work: (tx: Tx) => Awaitable<T>,
): Promise<T> =>
  gateway.db.begin(
    async (tx) => {
      await confirmViewer(tx, asking.viewer)
      return await work(tx)
    },
    { by: byOf(gateway, asking) },
  )

/** The settings by which a request's site is judged. */
export function siteSettings({ calls: { catalogue } }: Pick<Gateway, 'calls'>): SiteSettings {
  const { server, console } = catalogue()
  return { public_url: server.public_url, insecure_http: console.insecure_http }
}

/** Where a request comes from. */
export const visitorOf = (origin: CallOrigin): Visitor => ({
  request_id: origin.request_id,
  address: addressOf(origin),
  user_agent: origin.request.headers.get('user-agent') ?? '',
})

/** @throws GatewayError not_found if the operator has switched the console off */
export function requireConsole({ calls: { catalogue } }: Pick<Gateway, 'calls'>): void {
  if (!catalogue().console.enabled) throw noEndpoint()
}

const viewerOf = (gateway: SessionParts, { request, request_id }: Entering): Promise<Viewer> =>
  gateway.people.sessions.viewer(
    tokenOf(request, siteSettings(gateway)),
    addressOf({ request, sockets: gateway.requests.sockets }),
    request_id,
  )

/**
 * Counts a call of an account's pages, which share the event loop with everybody's paid calls; the operator's are not counted.
 * @param counts_as more for what takes longer, or leaves something behind
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
 * Counts an export of an account, which has an allowance of its own: no page is refused for exports. The operator's are not counted.
 * @returns to be called at its end
 * @throws GatewayError rate_limited
 */
export function beginExport({ people }: Pick<Gateway, 'people'>, viewer: Viewer): () => void {
  const account_id = accountOf(viewer)
  return account_id === undefined ? () => {} : people.exports.begin(account_id)
}

/** The person who is signed in; undefined: nobody. */
export async function viewerIfAny(gateway: SessionParts, entering: Entering): Promise<Viewer | undefined> {
  try {
    return await viewerOf(gateway, entering)
  } catch (thrown) {
    // No session, or one that is over: they are about to sign in.
    if (thrown instanceof GatewayError) return undefined
    throw thrown
  }
}

type Limited = CallsOptions & { limit_bytes: number }

/** A request that is looked at before it is let in; it has no id yet before its body is read. */
type Entering = Pick<CallOrigin, 'request'> & Partial<Pick<CallOrigin, 'request_id'>>

/** Twice for a request with a body: before it is read, which comes first in Elysia, and then for the route. */
function admitting<V>(
  gateway: Pick<Gateway, 'calls' | 'requests'>,
  { bodies = 'json', limit_bytes }: Limited,
  admit: (entering: Entering) => Promise<V>,
) {
  const enter = async (entering: Entering): Promise<V> => {
    requireConsole(gateway)
    const viewer = await admit(entering)
    requireOwnOrigin(entering.request, siteSettings(gateway))
    return viewer
  }
  const open = openCalls(gateway, SURFACE)
    .derive({ as: 'scoped' }, async ({ origin }) => ({ viewer: await enter(origin) }))
    // Pages read the money that calls under way hold, too.
    .onBeforeHandle({ as: 'scoped' }, () => gateway.calls.ledger.barrier())
    .onTransform({ as: 'scoped' }, ({ query, request }) => {
      Object.assign(query, doubledParameters(request.url))
    })
  // A parser beside a route's `parse: 'none'` would make Elysia look for a parser called "none".
  if (bodies === 'json')
    open.onParse({ as: 'scoped' }, async ({ request }) => {
      await enter({ request })
      return await readJson(request, limit_bytes)
    })
  return open
}
