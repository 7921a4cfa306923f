// Routes of sign-up at the console: for visitors the form and the link of its mail; for the staff the lists and invitations.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { MIN_PASSWORD_CHARS } from '../../src/access/passwords.ts'
import { signOut } from '../../src/access/session-rows.ts'
import { consoleList } from '../../src/app/list/pages.ts'
import {
  changed,
  FAILURES,
  operatorCalls,
  siteSettings,
  visitorCalls,
  visitorOf,
} from '../../src/app/surface/console/calls.ts'
import { keptCookieForm, probes } from '../../src/app/surface/console/site.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { conflict } from '../../src/domain/errors.ts'
import { setCookie } from '../../src/http/cookies.ts'
import { WholeNumber } from '../../src/http/parameters.ts'
import { money, time } from '../../src/http/views.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'
import { makeCode, revokeCode } from './codes.ts'
import { findSignUp, finishSignUp } from './finish.ts'
import { sign_up_code_list, sign_up_list } from './list.ts'
import type { SignUpParts } from './parts.ts'
import { closed } from './policy.ts'
import { checkInvitation, requestSignUp } from './request.ts'
import { modeOf, signUpSettings } from './settings.ts'
import {
  AltchaView,
  DoneView,
  Finish,
  Invitation,
  InvitationCode,
  InvitationView,
  LinkToken,
  LinkView,
  SignUpForm,
  SignUpView,
} from './views.ts'

const done = { done: true as const }

export const signUpConsoleRoutes = (gateway: Gateway, parts: SignUpParts) =>
  new Elysia({ name: 'console-sign-up' })
    .use(formRoutes(gateway, parts))
    .use(linkRoutes(gateway))
    .use(listRoutes(gateway))
    .use(invitationRoutes(gateway))

/** `GET` and `POST /console/api/sign-up`, `GET /console/api/sign-up/challenge`, `POST /console/api/sign-up/invitation`. They need no session. */
function formRoutes(gateway: Gateway, parts: SignUpParts) {
  const { catalogue } = gateway.calls
  return new Elysia({ name: 'console-sign-up-form' })
    .use(visitorCalls(gateway))
    .get(
      '/console/api/sign-up',
      () => {
        const { challenge, email_domains, welcome_nanos } = signUpSettings.of(catalogue())
        const can_pay = gateway.people.features.some(
          ({ name, isOffered }) => name === 'payments' && isOffered(),
        )
        return {
          mode: modeOf(catalogue()),
          challenge: challenge?.kind ?? 'none',
          site_key: challenge?.kind === 'turnstile' ? challenge.site_key : null,
          email_domains,
          ...money('welcome', can_pay ? welcome_nanos : 0),
        }
      },
      { response: { 200: SignUpView, ...FAILURES } },
    )
    .get(
      '/console/api/sign-up/challenge',
      async () => {
        if (modeOf(catalogue()) === 'closed') throw closed()
        return await parts.altcha.issue()
      },
      { response: { 200: AltchaView, ...FAILURES } },
    )
    .post(
      '/console/api/sign-up/invitation',
      async ({ body, origin }) => {
        await checkInvitation(gateway, body.code, visitorOf(origin))
        return done
      },
      { body: InvitationCode, response: { 200: DoneView, ...FAILURES } },
    )
    .post(
      '/console/api/sign-up',
      async ({ body, origin }) => {
        await requestSignUp(gateway, parts, body, visitorOf(origin))
        return done
      },
      { body: SignUpForm, response: { 200: DoneView, ...FAILURES } },
    )
}

/** `POST /console/api/sign-up/look`: the address and a free name for a link. `POST /console/api/sign-up/finish`: creates the account and signs in. */
const linkRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-sign-up-link' })
    .use(visitorCalls(gateway))
    .post(
      '/console/api/sign-up/look',
      async ({ body, origin, request, set, viewer }) => {
        const cookies = viewer ? [] : probes(request, siteSettings(gateway))
        if (cookies.length > 0) set.headers['set-cookie'] = cookies as unknown as string
        const { expires_at_ms, ...view } = await findSignUp(gateway, body.token, visitorOf(origin))
        return { ...view, min_password_chars: MIN_PASSWORD_CHARS, ...time('expires', expires_at_ms) }
      },
      { body: LinkToken, response: { 200: LinkView, ...FAILURES } },
    )
    .post(
      '/console/api/sign-up/finish',
      async ({ body, origin, request, set, viewer: before }) => {
        // A link is used up only once the browser has sent a cookie back.
        const form = keptCookieForm(request, siteSettings(gateway))
        const { token, lasts_s } = await finishSignUp(gateway, body, visitorOf(origin))
        if (before) await changed(gateway, { viewer: before, origin }, (tx) => signOut(tx, before))
        set.headers['set-cookie'] = setCookie(form, token, lasts_s)
        return done
      },
      { body: Finish, response: { 200: DoneView, ...FAILURES } },
    )

/** `GET /console/api/sign-ups`, `GET /console/api/sign-up-invitations`, and both as CSV. */
function listRoutes(gateway: Gateway) {
  const list = consoleList(gateway, sign_up_list)
  const codes = consoleList(gateway, sign_up_code_list)
  return new Elysia({ name: 'console-sign-ups' })
    .use(operatorCalls(gateway))
    .get('/console/api/sign-ups', ({ viewer, query }) => list.page(viewer, query), list.page_route)
    .get('/console/api/sign-ups.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route)
    .get(
      '/console/api/sign-up-invitations',
      ({ viewer, query }) => codes.page(viewer, query),
      codes.page_route,
    )
    .get(
      '/console/api/sign-up-invitations.csv',
      ({ viewer, query }) => codes.file(viewer, query),
      codes.file_route,
    )
}

const CodeParams = Type.Object({ id: WholeNumber({ minimum: 1 }, 'the number of an invitation') })

/** `POST /console/api/sign-up-invitations` creates an invitation. `DELETE …/{id}` revokes it. */
function invitationRoutes(gateway: Gateway) {
  const { now, catalogue } = gateway.calls
  const { randomBytes } = gateway.people
  return new Elysia({ name: 'console-sign-up-invitations' })
    .use(operatorCalls(gateway, { changes: 'help_accounts' }))
    .post(
      '/console/api/sign-up-invitations',
      async ({ viewer, origin, body }) => {
        const base = requireUrlForSignUps(catalogue())
        const { row, path, is_mailed } = await changed(gateway, { viewer, origin }, (tx) =>
          makeCode(tx, body, { randomBytes, now_ms: now() }),
        )
        return {
          id: row.id,
          url: is_mailed ? null : `${withoutTrailing(base, '/')}${path}`,
          mailed_to: row.email,
          uses: row.max_uses,
          ...time('expires', row.expires_at_ms),
        }
      },
      { body: Invitation, response: { 200: InvitationView, ...FAILURES } },
    )
    .delete(
      '/console/api/sign-up-invitations/:id',
      async ({ viewer, origin, params }) => {
        await changed(gateway, { viewer, origin }, (tx) => revokeCode(tx, params.id, now()))
        return done
      },
      { params: CodeParams, response: { 200: DoneView, ...FAILURES } },
    )
}

/** @returns the public URL @throws GatewayError conflict while sign-up is closed */
function requireUrlForSignUps(catalogue: Parameters<typeof modeOf>[0]): string {
  const { public_url } = catalogue.server
  if (modeOf(catalogue) === 'closed' || public_url === undefined)
    throw conflict(
      'Sign-up is closed. Set mode = "invitation" in [sign_up] first; it needs [mail] and public_url in [server].',
      { code: 'sign_up_closed' },
    )
  return public_url
}
