// Routes of links by mail: a visitor requests one, and signs in by it.
import { Elysia } from 'elysia'
import { MAILED_LINK_MINUTES, makeMailedLink } from '../../../src/access/mailed-links.ts'
import { signOut } from '../../../src/access/session-rows.ts'
import {
  type ConsoleParts,
  changed,
  FAILURES,
  siteSettings,
  visitorCalls,
  visitorOf,
} from '../../../src/app/surface/console/calls.ts'
import { keptCookieForm } from '../../../src/app/surface/console/site.ts'
import type { CallOrigin } from '../../../src/calls/life/call.ts'
import { unprocessable } from '../../../src/domain/errors.ts'
import { personsAddress } from '../../../src/domain/mail-address.ts'
import { setCookie } from '../../../src/http/cookies.ts'
import type { Tx } from '../../../src/store/db.ts'
import { canMail, queueMail } from '../../mail/index.ts'
import { sessionView } from './session.ts'
import { LinkToken, MailedLink, MailedLinkView, SessionView } from './views.ts'

/** The pages that the links open; the token is in the fragment. */
const PAGES = { sign_in: '/console/sign-in-link', reset: '/console/new-password' } as const

type LinkRequest = typeof MailedLink.static

/**
 * `POST /console/api/mailed-links`: requests a link by mail. The answer is the same for every address, and is sent before the gateway looks the
 * address up. `POST /console/api/links/sign-in`: signs in by a link, if the browser keeps a cookie.
 */
export function mailedLinkRoutes(gateway: ConsoleParts) {
  const { sessions } = gateway.people
  return new Elysia({ name: 'console-mailed-links' })
    .use(visitorCalls(gateway))
    .post(
      '/console/api/mailed-links',
      ({ body, origin }) => {
        if (!canMail(gateway.calls.catalogue())) throw noMail()
        const link_request = { ...body, email: personsAddress(body.email) }
        sessions.countMail(link_request.email, visitorOf(origin))
        void mailLink(gateway, link_request, origin)
        return { minutes: MAILED_LINK_MINUTES }
      },
      { body: MailedLink, response: { 200: MailedLinkView, ...FAILURES } },
    )
    .post(
      '/console/api/links/sign-in',
      async ({ body, origin, request, set, viewer: before }) => {
        const form = keptCookieForm(request, siteSettings(gateway))
        const { viewer, token, lasts_s } = await sessions.withSignInLink(body.token, visitorOf(origin))
        if (before) await changed(gateway, { viewer: before, origin }, (tx) => signOut(tx, before))
        set.headers['set-cookie'] = setCookie(form, token, lasts_s)
        return sessionView(gateway, request, viewer)
      },
      { body: LinkToken, response: { 200: SessionView, ...FAILURES } },
    )
}

/** Runs after the answer, so that the response time reveals nothing about the address. */
async function mailLink(
  { db, calls, people }: ConsoleParts,
  { email, purpose }: LinkRequest,
  { request_id }: CallOrigin,
): Promise<void> {
  const now_ms = calls.now()
  const issuing = { randomBytes: people.randomBytes, now_ms }
  try {
    await db.begin((tx) => sendLink(tx, { email, purpose }, issuing), {
      by: { actor: { kind: 'system' }, now_ms, request_id },
    })
  } catch (cause) {
    // No caller waits for this: the visitor requests another link.
    calls.log.error({ request_id, cause }, 'could not mail a sign-in link')
  }
}

async function sendLink(
  tx: Tx,
  { email, purpose }: LinkRequest,
  issuing: Parameters<typeof makeMailedLink>[2],
): Promise<void> {
  const made = await makeMailedLink(tx, { email, purpose }, issuing)
  if (!made) return
  const { token, expires_at_ms, person } = made
  await queueMail(
    tx,
    {
      purpose,
      to: email,
      account_id: person.account_id,
      fields: {},
      link: { path: `${PAGES[purpose]}#${token}`, expires_at_ms },
      request_key: `sign-in-link:${crypto.randomUUID()}`,
    },
    issuing.now_ms,
  )
}

const noMail = () => unprocessable('This gateway sends no mails. Ask the operator for a link.')
