// Routes by which the viewer confirms their identity with one of their passkeys.
import { Elysia } from 'elysia'
import { requirePerson } from '../../src/access/viewer.ts'
import {
  type ConsoleParts,
  FAILURES,
  siteSettings,
  viewerCalls,
  visitorOf,
} from '../../src/app/surface/console/calls.ts'
import { cookieForm } from '../../src/app/surface/console/site.ts'
import { setCookie } from '../../src/http/cookies.ts'
import { authenticationOptions } from './ceremony.ts'
import { CHALLENGE_LASTS_MS, challengeCookie, makeChallenge } from './challenges.ts'
import { passkeysOf } from './rows.ts'
import { reportIfCopied, requireSite, verifyPasskey } from './use.ts'
import { DoneView, SigningView, UsedPasskeyBody } from './views.ts'

const OWN = { reads: 'change_own_sign_in', changes: 'change_own_sign_in' } as const

/** `POST /console/api/passkeys/confirm/begin`: the options for the browser. `POST /console/api/passkeys/confirm`: the session gets a new token. */
export function confirmRoutes(gateway: ConsoleParts) {
  const { db, calls, people } = gateway
  const { sessions, randomBytes } = people
  return new Elysia({ name: 'console-passkeys-confirming' })
    .use(viewerCalls(gateway, OWN))
    .post(
      '/console/api/passkeys/confirm/begin',
      async ({ viewer, request, set }) => {
        requirePerson(viewer)
        const site = requireSite(gateway)
        const { person_id, session_id } = viewer
        const form = cookieForm(request, siteSettings(gateway))
        const of = { purpose: 'confirm', session_id } as const
        const { challenge, token } = await makeChallenge(db, of, { randomBytes, now_ms: calls.now() })
        set.headers['set-cookie'] = setCookie(challengeCookie(form), token, CHALLENGE_LASTS_MS / 1_000)
        return {
          options: await authenticationOptions(site, { known: await passkeysOf(db, person_id), challenge }),
        }
      },
      { response: { 200: SigningView, ...FAILURES } },
    )
    .post(
      '/console/api/passkeys/confirm',
      async ({ viewer, request, origin, body, set }) => {
        requirePerson(viewer)
        const form = cookieForm(request, siteSettings(gateway))
        const visitor = visitorOf(origin)
        const of = { purpose: 'confirm', session_id: viewer.session_id } as const
        const { passkey, decide } = await sessions.found(visitor, () =>
          verifyPasskey(gateway, body.response, { of, request }),
        )
        const decidePerson = async (tx: Parameters<typeof decide>[0]) => (await decide(tx)).person
        const { token, lasts_s } = await sessions
          .confirm(viewer, { proof: 'passkey', decide: decidePerson }, visitor)
          .catch((thrown: unknown) => reportIfCopied(gateway, passkey, { thrown, origin }))
        set.headers['set-cookie'] = [setCookie(form, token, lasts_s), setCookie(challengeCookie(form), '', 0)]
        return { done: true as const }
      },
      { body: UsedPasskeyBody, response: { 200: DoneView, ...FAILURES } },
    )
}
