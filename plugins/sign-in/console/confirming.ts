// Routes of a fresh sign-in: the ways in which the viewer can confirm their identity, and the confirmation by password.
import { Elysia } from 'elysia'
import { hashOf } from '../../../src/access/passwords.ts'
import { waysOf } from '../../../src/access/sign-in-ways.ts'
import { requirePerson } from '../../../src/access/viewer.ts'
import {
  type ConsoleParts,
  FAILURES,
  siteSettings,
  viewerCalls,
  visitorOf,
} from '../../../src/app/surface/console/calls.ts'
import { cookieForm } from '../../../src/app/surface/console/site.ts'
import { setCookie } from '../../../src/http/cookies.ts'
import { Confirmation, ConfirmingView, DoneView } from './views.ts'

const OWN = { reads: 'change_own_sign_in', changes: 'change_own_sign_in' } as const

/**
 * `GET /console/api/session/confirm`: the viewer's ways to confirm. `POST`: confirms by password; the session gets a new token. Other proofs have
 * their own routes.
 */
export function confirmingRoutes(gateway: ConsoleParts) {
  const { sessions, sign_in_ways } = gateway.people
  return new Elysia({ name: 'console-confirming' })
    .use(viewerCalls(gateway, OWN))
    .get(
      '/console/api/session/confirm',
      async ({ viewer }) => {
        requirePerson(viewer)
        const { person_id } = viewer
        const own = await waysOf(gateway.db, sign_in_ways, person_id)
        return {
          has_password: (await hashOf(gateway.db, person_id)) !== undefined,
          ways: own.flatMap(({ name, confirms }) => (confirms ? [name] : [])),
        }
      },
      { response: { 200: ConfirmingView, ...FAILURES } },
    )
    .post(
      '/console/api/session/confirm',
      async ({ viewer, body, origin, request, set }) => {
        const form = cookieForm(request, siteSettings(gateway))
        const { token, lasts_s } = await sessions.confirmWithPassword(
          viewer,
          body.password,
          visitorOf(origin),
        )
        set.headers['set-cookie'] = setCookie(form, token, lasts_s)
        return { done: true as const }
      },
      { body: Confirmation, response: { 200: DoneView, ...FAILURES } },
    )
}
