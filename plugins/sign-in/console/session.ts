// Routes of sessions: signing in and out, and the list of the viewer's sessions.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { peopleQueries } from '../../../src/access/people-queries.ts'
import { keyQueries } from '../../../src/access/queries.ts'
import { may, RIGHT_NAMES } from '../../../src/access/rights.ts'
import { endSession, endSessions, type SignedIn, signOut } from '../../../src/access/session-rows.ts'
import { hasOperator } from '../../../src/access/sign-in-links.ts'
import { personOf, type Viewer } from '../../../src/access/viewer.ts'
import { consoleList } from '../../../src/app/list/pages.ts'
import {
  type ConsoleParts,
  changed,
  FAILURES,
  siteSettings,
  viewerCalls,
  visitorCalls,
  visitorOf,
} from '../../../src/app/surface/console/calls.ts'
import { cookieForm, cookieForms, probes, signInRefusal } from '../../../src/app/surface/console/site.ts'
import type { Feature, Gateway } from '../../../src/app/surface/gateway.ts'
import type { CallOrigin } from '../../../src/calls/life/call.ts'
import { invalidRequest } from '../../../src/domain/errors.ts'
import { setCookie } from '../../../src/http/cookies.ts'
import { WholeNumber } from '../../../src/http/parameters.ts'
import type { PersonRow } from '../../../src/store/schema.ts'
import { isCreditAllowed } from '../../staff/index.ts'
import { sessionList } from '../list.ts'
import { suspensionView } from './suspension.ts'
import { EndedView, SessionView, SignIn, viewerView } from './views.ts'

type Credentials = typeof SignIn.static

/** `GET /console/api/session`: the signed-in viewer. `POST`: signs in. Both need no session. */
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
        // Before the password is checked: it should not have been sent over such a connection.
        const form = cookieForm(request, siteSettings(gateway))
        const signed_in = await signIn(gateway, body, origin)
        // The browser drops the cookie of the old session, so nobody should be able to use it.
        if (viewer) await changed(gateway, { viewer, origin }, (tx) => signOut(tx, viewer))
        set.headers['set-cookie'] = setCookie(form, signed_in.token, signed_in.lasts_s)
        return sessionView(gateway, request, signed_in.viewer)
      },
      { body: SignIn, response: { 200: SessionView, ...FAILURES } },
    )
}

/** Routes to sign out, and of the viewer's sessions. */
export function sessionRoutes(gateway: ConsoleParts) {
  const list = consoleList(gateway, sessionList(gateway))
  return new Elysia({ name: 'console-sessions' })
    .use(viewerCalls(gateway, { changes: 'leave' }))
    .delete(
      '/console/api/session',
      async ({ viewer, origin, set }) => {
        await changed(gateway, { viewer, origin }, (tx) => signOut(tx, viewer))
        forgetCookies(set, gateway)
        return { ended: 1 }
      },
      { response: { 200: EndedView, ...FAILURES } },
    )
    .get('/console/api/sessions', ({ viewer, query }) => list.page(viewer, query), list.page_route)
    .get('/console/api/sessions.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route)
    .delete(
      '/console/api/sessions',
      async ({ viewer, origin, set }) => {
        const ended = await changed(gateway, { viewer, origin }, (tx) => endSessions(tx, viewer))
        forgetCookies(set, gateway)
        return { ended }
      },
      { response: { 200: EndedView, ...FAILURES } },
    )
    .delete(
      '/console/api/sessions/:id',
      async ({ viewer, origin, params, set }) => {
        await changed(gateway, { viewer, origin }, (tx) => endSession(tx, viewer, params.id))
        if (params.id === viewer.session_id) forgetCookies(set, gateway)
        return { ended: 1 }
      },
      { params: SessionParams, response: { 200: EndedView, ...FAILURES } },
    )
}

const SessionParams = Type.Object({ id: WholeNumber({ minimum: 1 }, 'the number of a session') })

/** Sends test cookies before a sign-in, to find out which form of cookie the browser keeps. */
export function sendProbes(gateway: Pick<Gateway, 'calls'>, request: Request, set: Headers): void {
  const cookies = probes(request, siteSettings(gateway))
  if (cookies.length > 0) set.headers['set-cookie'] = cookies
}

/** The session as pages see it: the viewer, and the ways to sign in. */
export async function sessionView(
  gateway: Pick<Gateway, 'calls' | 'db' | 'people'>,
  request: Request,
  viewer: Viewer | undefined,
) {
  const { db } = gateway
  const { catalogue } = gateway.calls
  const [key] = viewer?.side === 'key' ? await keyQueries(db).keysById.all({ id: viewer.key_id }) : []
  return {
    viewer: viewer
      ? viewerView(viewer, {
          key,
          person: await personOfViewer(db, viewer),
          public_url: catalogue().server.public_url,
          suspension: await suspensionView(db, viewer),
          rights: RIGHT_NAMES.filter(
            (right) => may(viewer, right) && (right !== 'credit' || isCreditAllowed(gateway, viewer)),
          ),
          features: await featuresFor(viewer, gateway.people.features),
        })
      : null,
    operator_is_set: await hasOperator(db),
    ways: offered(gateway.people.sign_in_ways),
    sign_in_refusal: signInRefusal(request, siteSettings(gateway)) ?? null,
  }
}

const offered = (parts: readonly Pick<Feature, 'name' | 'isOffered'>[]): string[] =>
  parts.flatMap(({ name, isOffered }) => (isOffered() ? [name] : []))

async function featuresFor(viewer: Viewer, features: readonly Feature[]): Promise<string[]> {
  const found: string[] = []
  for (const { name, isOffered, isKept } of features)
    if (isOffered() || (await isKept?.(viewer))) found.push(name)
  return found
}

async function personOfViewer(db: Gateway['db'], viewer: Viewer): Promise<PersonRow | undefined> {
  const id = personOf(viewer)
  return id === undefined ? undefined : await peopleQueries(db).byId.get({ id })
}

async function signIn(
  gateway: Pick<Gateway, 'calls' | 'requests' | 'people'>,
  { account, password, key }: Credentials,
  origin: CallOrigin,
): Promise<SignedIn> {
  const visitor = visitorOf(origin)
  if (key !== undefined && password === undefined && !account)
    return await gateway.people.sessions.withKey(
      () => gateway.calls.gate.admit({ ...origin, credential: key, known: {} }),
      visitor,
    )
  if (password === undefined || key !== undefined)
    throw invalidRequest(
      'Send a password with an email address or the name of an account (without: the first operator), or an API key alone.',
      {
        param: 'password',
      },
    )
  return await gateway.people.sessions.withPassword({ who: account || undefined, password }, visitor)
}

/** The place in Elysia for response headers. */
interface Headers {
  headers: Record<string, unknown>
}

function forgetCookies(set: Headers, gateway: ConsoleParts): void {
  set.headers['set-cookie'] = cookieForms(siteSettings(gateway)).map((form) => setCookie(form, '', 0))
}
