// Routes by which a visitor signs in with a passkey, without entering a name.
import { Elysia } from 'elysia'
import { signOut } from '../../src/access/session-rows.ts'
import {
  type ConsoleParts,
  changed,
  FAILURES,
  siteSettings,
  visitorCalls,
  visitorOf,
} from '../../src/app/surface/console/calls.ts'
import { cookieForm } from '../../src/app/surface/console/site.ts'
import { setCookie } from '../../src/http/cookies.ts'
import { authenticationOptions } from './ceremony.ts'
import { CHALLENGE_LASTS_MS, challengeCookie, makeChallenge } from './challenges.ts'
import { reportIfCopied, requireSite, verifyPasskey } from './use.ts'
import { DoneView, SigningView, UsedPasskeyBody } from './views.ts'

const SIGN_IN = { purpose: 'sign_in', session_id: null } as const

/** `POST /console/api/passkeys/sign-in/begin`: the options for the browser. `POST /console/api/passkeys/sign-in`: signs in. */
export function signingRoutes(gateway: ConsoleParts) {
  const { db, calls, people } = gateway
  const { sessions, randomBytes } = people
  return new Elysia({ name: 'console-passkeys-signing' })
    .use(visitorCalls(gateway))
    .post(
      '/console/api/passkeys/sign-in/begin',
      async ({ request, origin, set }) => {
        const site = requireSite(gateway)
        const form = cookieForm(request, siteSettings(gateway))
        sessions.countVisit(visitorOf(origin))
        const { challenge, token } = await makeChallenge(db, SIGN_IN, { randomBytes, now_ms: calls.now() })
        set.headers['set-cookie'] = setCookie(challengeCookie(form), token, CHALLENGE_LASTS_MS / 1_000)
        return { options: await authenticationOptions(site, { known: [], challenge }) }
      },
      { response: { 200: SigningView, ...FAILURES } },
    )
    .post(
      '/console/api/passkeys/sign-in',
      async ({ request, origin, body, set, viewer: before }) => {
        const form = cookieForm(request, siteSettings(gateway))
        const visitor = visitorOf(origin)
        const { passkey, decide } = await sessions.found(visitor, () =>
          verifyPasskey(gateway, body.response, { of: SIGN_IN, request }),
        )
        const { token, lasts_s } = await sessions
          .withProof('passkey', decide, visitor)
          .catch((thrown: unknown) => reportIfCopied(gateway, passkey, { thrown, origin }))
        if (before) await changed(gateway, { viewer: before, origin }, (tx) => signOut(tx, before))
        set.headers['set-cookie'] = [setCookie(form, token, lasts_s), setCookie(challengeCookie(form), '', 0)]
        return { done: true as const }
      },
      { body: UsedPasskeyBody, response: { 200: DoneView, ...FAILURES } },
    )
}
