// Routes of passwords and the links that set them: the first visit, invitations of accounts, and the change of a known password.

import { Elysia } from 'elysia'
import { MIN_PASSWORD_CHARS } from '../../../src/access/passwords.ts'
import { may, requireRight } from '../../../src/access/rights.ts'
import { signOut } from '../../../src/access/session-rows.ts'
import { type OpenLink, readLinkFor } from '../../../src/access/sign-in-links.ts'
import {
  type ConsoleParts,
  changed,
  FAILURES,
  operatorCalls,
  siteSettings,
  viewerCalls,
  visitorCalls,
  visitorOf,
} from '../../../src/app/surface/console/calls.ts'
import { keptCookieForm, ownOrigins } from '../../../src/app/surface/console/site.ts'
import type { Acceptance, Gateway } from '../../../src/app/surface/gateway.ts'
import { conflict } from '../../../src/domain/errors.ts'
import { setCookie } from '../../../src/http/cookies.ts'
import { time } from '../../../src/http/views.ts'
import type { Tx } from '../../../src/store/db.ts'
import type { Account } from '../../../src/store/schema.ts'
import { withoutTrailing } from '../../../src/utilities/text-ends.ts'
import { canMail } from '../../mail/index.ts'
import { INVITATION_PAGE, invite } from '../invite.ts'
import { sendProbes, sessionView } from './session.ts'
import {
  DoneView,
  Invitation,
  InvitationView,
  LINK_PURPOSES,
  LinkAcceptance,
  LinkToken,
  LinkView,
  PasswordChange,
  SessionView,
} from './views.ts'

/**
 * `POST /console/api/links/look`: the person of a link. `POST /console/api/links/accept`: sets the password, and signs in, if the browser keeps a
 * cookie.
 */
export function linkRoutes(gateway: ConsoleParts) {
  const { db } = gateway
  const { now } = gateway.calls
  const { sessions } = gateway.people
  return new Elysia({ name: 'console-links' })
    .use(visitorCalls(gateway))
    .post(
      '/console/api/links/look',
      async ({ body, origin, request, set, viewer }) => {
        if (!viewer) sendProbes(gateway, request, set)
        const link = await sessions.found(visitorOf(origin), () =>
          readLinkFor(db, body.token, now(), LINK_PURPOSES),
        )
        const { purpose, person, account, has_password, expires_at_ms } = link
        return {
          purpose,
          person: person.name,
          email: person.email,
          role: account ? ('account' as const) : ('operator' as const),
          account: account?.name ?? null,
          has_password,
          terms: (setsFirstPassword(link) && gateway.people.terms?.current()) || null,
          min_password_chars: MIN_PASSWORD_CHARS,
          ...time('expires', expires_at_ms),
        }
      },
      { body: LinkToken, response: { 200: LinkView, ...FAILURES } },
    )
    .post(
      '/console/api/links/accept',
      async ({ body, origin, request, set, viewer: before }) => {
        const form = keptCookieForm(request, siteSettings(gateway))
        const { viewer, token, lasts_s } = await sessions.withLink(
          body,
          visitorOf(origin),
          async (tx, link) => {
            if (setsFirstPassword(link))
              await acceptTerms(gateway, tx, {
                person_id: link.person.id,
                account_id: link.account.id,
                accepted: body.terms ?? null,
                request_id: visitorOf(origin).request_id,
              })
          },
        )
        if (before) await changed(gateway, { viewer: before, origin }, (tx) => signOut(tx, before))
        set.headers['set-cookie'] = setCookie(form, token, lasts_s)
        return sessionView(gateway, request, viewer)
      },
      { body: LinkAcceptance, response: { 200: SessionView, ...FAILURES } },
    )
}

/** Whether a link sets the first password of a person in an account: that person has not signed in before. */
const setsFirstPassword = <P extends OpenLink<'password' | 'reset' | 'sign_in'>>(
  link: P,
): link is P & { account: Account } =>
  link.account !== undefined && link.purpose === 'password' && !link.has_password

async function acceptTerms(
  { people, calls }: ConsoleParts,
  tx: Tx,
  { request_id, ...acceptance }: Acceptance & { request_id: string },
): Promise<void> {
  const by = { actor: { kind: 'system' }, now_ms: calls.now(), request_id } as const
  await people.terms?.accept(tx, acceptance, by)
}

/** `PUT /console/api/password`: changes the viewer's password, with the old one as proof; their other sessions end. */
export function passwordRoutes(gateway: Pick<Gateway, 'calls' | 'requests' | 'people'>) {
  return new Elysia({ name: 'console-password' })
    .use(viewerCalls(gateway, { changes: 'change_own_sign_in' }))
    .put(
      '/console/api/password',
      async ({ viewer, body, origin }) => {
        await gateway.people.sessions.changePassword(viewer, body, visitorOf(origin))
        return { done: true as const }
      },
      { body: PasswordChange, response: { 200: DoneView, ...FAILURES } },
    )
}

/**
 * `POST /console/api/invitations`: creates a link by which an account sets its password. It is mailed if possible, unless the request asks for the
 * link itself; otherwise only this answer has it. Operators may do both, support may only mail.
 */
export function invitationRoutes(gateway: ConsoleParts) {
  const { now, catalogue } = gateway.calls
  const { randomBytes } = gateway.people
  return new Elysia({ name: 'console-invitations' })
    .use(operatorCalls(gateway, { changes: 'help_accounts' }))
    .post(
      '/console/api/invitations',
      async ({ viewer, origin, body, request }) => {
        const can_mail = canMail(catalogue())
        // A link signs in as the account and so bypasses support's credit limit: only operators may see one.
        const must_mail = !may(viewer, 'operate')
        if (must_mail && body.as_link) requireRight(viewer, 'operate')
        if (must_mail && !can_mail) throw noMail()
        const has_mail = body.as_link !== true && can_mail
        const { token, expires_at_ms, mailed_to } = await changed(gateway, { viewer, origin }, async (tx) => {
          const invited = await invite(tx, body.account, { randomBytes, now_ms: now(), has_mail })
          if (must_mail && invited.mailed_to === undefined) throw noAddress(body.account)
          return invited
        })
        const [site = ''] = ownOrigins(request, siteSettings(gateway))
        const base = catalogue().server.public_url ?? site
        return {
          account: body.account,
          url: mailed_to === undefined ? invitationUrl(base, token) : null,
          mailed_to: mailed_to ?? null,
          ...time('expires', expires_at_ms),
        }
      },
      { body: Invitation, response: { 200: InvitationView, ...FAILURES } },
    )
}

const noMail = () =>
  conflict(
    'This gateway sends no mail, and the link of an invitation is shown to operators only. Ask an operator for it.',
    { code: 'no_mail' },
  )

const noAddress = (account: string) =>
  conflict(
    `There is no email address that an invitation of "${account}" can go to. Ask an operator for a link.`,
    { code: 'no_email' },
  )

const invitationUrl = (base: string, token: string): string =>
  `${withoutTrailing(base, '/')}${INVITATION_PAGE}#${token}`
