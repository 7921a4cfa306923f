// Routes of links by mail: a visitor asks for one, and signs in by it.
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

/** The pages of the links, whose tokens stand in the fragment. */
const PAGES = { sign_in: '/console/sign-in-link', reset: '/console/new-password' } as const

type Asked = typeof MailedLink.static

/**
 * `POST /console/api/mailed-links`: asks for a link by mail. Whoever the address belongs to, and whether to anybody, the answer is the same, and
 * is there before the gateway looks. `POST /console/api/links/sign-in`: signs in by one, in a browser that keeps a cookie.
 */
export function mailedLinkRoutes(gateway: ConsoleParts) {
  const { sessions } = gateway.people
  return new Elysia({ name: 'console-mailed-links' })
    .use(visitorCalls(gateway))
    .post(
      '/console/api/mailed-links',
      ({ body, origin }) => {
        if (!canMail(gateway.calls.catalogue())) throw noMail()
        const asked = { ...body, email: personsAddress(body.email) }
        sessions.countMail(asked.email, visitorOf(origin))
        void mailLink(gateway, asked, origin)
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

/** After the answer, whose time tells nothing of what is found. */
async function mailLink(
  { db, calls, people }: ConsoleParts,
  { email, purpose }: Asked,
  { request_id }: CallOrigin,
): Promise<void> {
  const now_ms = calls.now()
  const issuing = { randomBytes: people.randomBytes, now_ms }
  try {
    await db.begin((tx) => sendLink(tx, { email, purpose }, issuing), {
      by: { actor: { kind: 'system' }, now_ms, request_id },
    })
  } catch (cause) {
    // Nobody waits for it: they ask again.
    calls.log.error({ request_id, cause }, 'could not mail a sign-in link')
  }
}

async function sendLink(
  tx: Tx,
  { email, purpose }: Asked,
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
