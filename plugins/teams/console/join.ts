// Routes of an invitation's link: its account, and joining as the signed-in person or as a new one. All of them act on POST only.
import { Elysia } from 'elysia'
import { MIN_PASSWORD_CHARS } from '../../../src/access/passwords.ts'
import { peopleQueries } from '../../../src/access/people-queries.ts'
import { signOut } from '../../../src/access/session-rows.ts'
import { personOf, type Viewer } from '../../../src/access/viewer.ts'
import {
  changed,
  FAILURES,
  siteSettings,
  viewerCalls,
  visitorCalls,
  visitorOf,
} from '../../../src/app/surface/console/calls.ts'
import { keptCookieForm, probes } from '../../../src/app/surface/console/site.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { setCookie } from '../../../src/http/cookies.ts'
import { time } from '../../../src/http/views.ts'
import type { Db } from '../../../src/store/db.ts'
import type { PersonRow } from '../../../src/store/schema.ts'
import { findInvitation, joinAsNew, joinAsViewer } from '../join.ts'
import { DoneView, LinkToken, LinkView, NewMember } from './views.ts'

const done = { done: true as const }

/** `POST /console/api/join/look`, `/console/api/join` and `/console/api/join/new`, for holders of a link. */
export const joinRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-join-all' }).use(linkRoutes(gateway)).use(joinAsViewerRoute(gateway))

const joinAsViewerRoute = (gateway: Gateway) =>
  new Elysia({ name: 'console-join-viewer' })
    .use(viewerCalls(gateway, { changes: 'change_own_sign_in' }))
    .post(
      '/console/api/join',
      async ({ body, origin, request, set, viewer }) => {
        const form = keptCookieForm(request, siteSettings(gateway))
        const { token, lasts_s } = await joinAsViewer(gateway, viewer, body.token, visitorOf(origin))
        set.headers['set-cookie'] = setCookie(form, token, lasts_s)
        return done
      },
      { body: LinkToken, response: { 200: DoneView, ...FAILURES } },
    )

const linkRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-join' })
    .use(visitorCalls(gateway))
    .post(
      '/console/api/join/look',
      async ({ body, origin, request, set, viewer }) => {
        const cookies = viewer ? [] : probes(request, siteSettings(gateway))
        if (cookies.length > 0) set.headers['set-cookie'] = cookies as unknown as string
        const { invitation, account, terms, signs_in } = await findInvitation(
          gateway,
          body.token,
          visitorOf(origin),
        )
        const { email, role, expires_at_ms } = invitation
        return {
          account: account.name,
          email,
          role,
          signs_in,
          terms,
          signed_in_as: await nameOf(gateway.db, viewer),
          min_password_chars: MIN_PASSWORD_CHARS,
          ...time('expires', expires_at_ms),
        }
      },
      { body: LinkToken, response: { 200: LinkView, ...FAILURES } },
    )
    .post(
      '/console/api/join/new',
      async ({ body, origin, request, set, viewer: before }) => {
        // The link is used up only if the browser has sent a cookie back.
        const form = keptCookieForm(request, siteSettings(gateway))
        const { token, lasts_s } = await joinAsNew(
          gateway,
          { ...body, terms: body.terms ?? null },
          visitorOf(origin),
        )
        if (before) await changed(gateway, { viewer: before, origin }, (tx) => signOut(tx, before))
        set.headers['set-cookie'] = setCookie(form, token, lasts_s)
        return done
      },
      { body: NewMember, response: { 200: DoneView, ...FAILURES } },
    )

async function nameOf(db: Db, viewer: Viewer | undefined): Promise<string | null> {
  const id = viewer && personOf(viewer)
  if (id === undefined) return null
  const person: PersonRow | undefined = await peopleQueries(db).byId.get({ id })
  return person?.name ?? null
}
