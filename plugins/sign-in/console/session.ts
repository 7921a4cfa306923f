// Sessions: who is signed in, signing in and out, and the sessions that a person has.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listedAccounts } from '../../../src/access/account-listing.ts'
import { keyQueries } from '../../../src/access/queries.ts'
import { keysByNumber } from '../../../src/access/rows-by-number.ts'
import { endOf, endSession, endSessions, listSessions, signOut } from '../../../src/access/session-rows.ts'
import type { SignedIn } from '../../../src/access/sessions.ts'
import { hasOperator } from '../../../src/access/sign-in-links.ts'
import type { Viewer } from '../../../src/access/viewer.ts'
import {
  type ConsoleParts,
  changed,
  FAILURES,
  siteSettings,
  viewerCalls,
  visitorCalls,
  visitorOf,
} from '../../../src/app/surface/console/calls.ts'
import { allPages, CsvFile, listCsv } from '../../../src/app/surface/console/list-csv.ts'
import { COOKIE_FORMS, cookieForm, probes, signInRefusal } from '../../../src/app/surface/console/site.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { CallOrigin } from '../../../src/calls/life/call.ts'
import { invalidRequest } from '../../../src/domain/errors.ts'
import { setCookie } from '../../../src/http/cookies.ts'
import { pageFields, pageOf } from '../../../src/http/paging.ts'
import { WholeNumber } from '../../../src/http/parameters.ts'
import {
  EndedView,
  listedSession,
  SESSION_COLUMNS,
  SessionsFileQuery,
  SessionsQuery,
  SessionsView,
  SessionView,
  SignIn,
  viewerView,
} from './views.ts'

type Credentials = typeof SignIn.static

/** `GET /console/api/session`: who is signed in. `POST`: signs in. Both are for anybody. */
export function signInRoutes(gateway: ConsoleParts) {
  return new Elysia({ name: 'console-session' })
    .use(visitorCalls(gateway))
    .get(
      '/console/api/session',
      ({ viewer, request, set }) => {
        if (!viewer) sendProbes(gateway, request, set)
        return sessionView(gateway, request, viewer)
      },
      { response: { 200: SessionView, ...FAILURES } },
    )
    .post(
      '/console/api/session',
      async ({ request, origin, body, set, viewer }) => {
        // Before the password is looked at: it should not have been sent over such a connection.
        const form = cookieForm(request, siteSettings(gateway))
        const signed_in = await signIn(gateway, body, origin)
        // The browser forgets this session with its cookie: nobody should be able to use it.
        if (viewer) await changed(gateway, { viewer, origin }, (tx) => signOut(tx, viewer))
        set.headers['set-cookie'] = setCookie(form, signed_in.token, signed_in.lasts_s)
        return sessionView(gateway, request, signed_in.viewer)
      },
      { body: SignIn, response: { 200: SessionView, ...FAILURES } },
    )
}

/** Signing out, and the sessions of whoever is signed in. */
export function sessionRoutes(gateway: ConsoleParts) {
  return new Elysia({ name: 'console-sessions' })
    .use(viewerCalls(gateway))
    .delete(
      '/console/api/session',
      async ({ viewer, origin, set }) => {
        await changed(gateway, { viewer, origin }, (tx) => signOut(tx, viewer))
        forgetCookies(set)
        return { ended: 1 }
      },
      { response: { 200: EndedView, ...FAILURES } },
    )
    .get('/console/api/sessions', ({ viewer, query }) => sessionsPage(gateway, viewer, query), {
      query: SessionsQuery,
      response: { 200: SessionsView, ...FAILURES },
    })
    .get('/console/api/sessions.csv', ({ viewer, query }) => sessionsCsv(gateway, viewer, query), {
      query: SessionsFileQuery,
      response: { 200: CsvFile, ...FAILURES },
    })
    .delete(
      '/console/api/sessions',
      async ({ viewer, origin, set }) => {
        const ended = await changed(gateway, { viewer, origin }, (tx) => endSessions(tx, viewer))
        forgetCookies(set)
        return { ended }
      },
      { response: { 200: EndedView, ...FAILURES } },
    )
    .delete(
      '/console/api/sessions/:id',
      async ({ viewer, origin, params, set }) => {
        await changed(gateway, { viewer, origin }, (tx) => endSession(tx, viewer, params.id))
        if (params.id === viewer.session_id) forgetCookies(set)
        return { ended: 1 }
      },
      { params: SessionParams, response: { 200: EndedView, ...FAILURES } },
    )
}

const SessionParams = Type.Object({ id: WholeNumber({ minimum: 1 }, 'the number of a session') })

/** Finds out, before somebody signs in, which cookie their browser keeps. */
export function sendProbes(gateway: Pick<Gateway, 'exchange'>, request: Request, set: Headers): void {
  const cookies = probes(request, siteSettings(gateway))
  if (cookies.length > 0) set.headers['set-cookie'] = cookies
}

/** Whoever is signed in with an answer's cookie, as the pages are told. */
export async function sessionView(
  gateway: Pick<Gateway, 'exchange' | 'db'>,
  request: Request,
  viewer: Viewer | undefined,
) {
  const { db } = gateway
  const { catalogue } = gateway.exchange
  const [key] = viewer?.role === 'key' ? await keyQueries(db).keysById.all({ id: viewer.key_id }) : []
  return {
    viewer: viewer ? viewerView(viewer, key, catalogue().server.public_url) : null,
    operator_is_set: await hasOperator(db),
    sign_in_refusal: signInRefusal(request, siteSettings(gateway)) ?? null,
  }
}

async function signIn(
  gateway: Pick<Gateway, 'exchange' | 'requests' | 'people'>,
  { account, password, key }: Credentials,
  origin: CallOrigin,
): Promise<SignedIn> {
  const visitor = visitorOf(origin)
  if (key !== undefined && password === undefined && !account)
    return await gateway.people.sessions.withKey(
      () => gateway.exchange.gate.admit({ ...origin, credential: key, known: {} }),
      visitor,
    )
  if (password === undefined || key !== undefined)
    throw invalidRequest(
      'Send a password, with the name of its account unless it is the operator’s; or a key alone.',
      {
        param: 'password',
      },
    )
  return await gateway.people.sessions.withPassword({ account: account || undefined, password }, visitor)
}

const SESSIONS_AT_ONCE = 250

const sessionsCsv = (
  gateway: ConsoleParts,
  viewer: Viewer,
  query: typeof SessionsFileQuery.static,
): Promise<Response> =>
  listCsv(gateway, viewer, {
    list: 'sessions',
    columns: SESSION_COLUMNS,
    parts: allPages(SESSIONS_AT_ONCE, async (page) => {
      const { sessions, next_cursor } = await sessionsPage(gateway, viewer, { ...query, ...page })
      return { rows: sessions, next_cursor }
    }),
  })

async function sessionsPage(
  gateway: Pick<Gateway, 'exchange' | 'db'>,
  viewer: Viewer,
  query: typeof SessionsQuery.static,
) {
  const { db } = gateway
  const { now, catalogue } = gateway.exchange
  const whose = query.whose ?? 'own'
  const { rows, next_cursor } = await listSessions(db, viewer, { ...pageOf(query), whose })
  const settings = catalogue().console
  const account_ids = rows.flatMap(({ account_id }) => account_id ?? [])
  const accounts = new Map((await listedAccounts(db, account_ids)).map((account) => [account.id, account]))
  const keys = await keysByNumber(
    db,
    rows.flatMap(({ key_id }) => key_id ?? []),
  )
  const sessions = rows.flatMap((row) => {
    const expires_at_ms = endOf(row, settings)
    const account = row.account_id === null ? undefined : accounts.get(row.account_id)
    const key = row.key_id === null ? undefined : keys.get(row.key_id)
    const is_over = expires_at_ms <= now() || (key && isOver(key, now()))
    return is_over ? [] : listedSession(row, { account, key, expires_at_ms, current_id: viewer.session_id })
  })
  return { sessions, ...pageFields({ next_cursor }) }
}

const isOver = (
  key: { revoked_at_ms: number | null; expires_at_ms: number | null },
  now_ms: number,
): boolean =>
  (key.revoked_at_ms ?? Number.POSITIVE_INFINITY) <= now_ms ||
  (key.expires_at_ms ?? Number.POSITIVE_INFINITY) <= now_ms

/** Elysia's place for headers of an answer. */
interface Headers {
  headers: Record<string, unknown>
}

function forgetCookies(set: Headers): void {
  set.headers['set-cookie'] = COOKIE_FORMS.map((form) => setCookie(form, '', 0))
}
