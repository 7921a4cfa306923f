// Routes of the viewer's accounts: the list, and switching to another one.
import { Elysia } from 'elysia'
import { personOnSide } from '../../../src/access/people.ts'
import { isAt } from '../../../src/access/switching.ts'
import { teamQueries } from '../../../src/access/team-queries.ts'
import { personOf, type Viewer } from '../../../src/access/viewer.ts'
import { FAILURES, siteSettings, viewerCalls, visitorOf } from '../../../src/app/surface/console/calls.ts'
import { keptCookieForm } from '../../../src/app/surface/console/site.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { setCookie } from '../../../src/http/cookies.ts'
import type { Db } from '../../../src/store/db.ts'
import { DoneView, SideChoice, SidesView } from './views.ts'

/** `GET /console/api/session/accounts`: the accounts (and the staff's side) of the viewer. `PUT /console/api/session/account` switches to one. */
export const sideRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-sides' })
    .use(viewerCalls(gateway, { changes: 'change_own_sign_in' }))
    .get(
      '/console/api/session/accounts',
      async ({ viewer }) => ({ sides: await sidesOf(gateway.db, viewer) }),
      { response: { 200: SidesView, ...FAILURES } },
    )
    .put(
      '/console/api/session/account',
      async ({ viewer, body, request, origin, set }) => {
        const form = keptCookieForm(request, siteSettings(gateway))
        const { token, lasts_s } = await gateway.people.sessions.switchTo(
          viewer,
          body.account_id,
          visitorOf(origin),
        )
        set.headers['set-cookie'] = setCookie(form, token, lasts_s)
        return { done: true as const }
      },
      { body: SideChoice, response: { 200: DoneView, ...FAILURES } },
    )

/** Returns the viewer's accounts and the staff's side; empty for a session by key. */
async function sidesOf(db: Db, viewer: Viewer) {
  const person_id = personOf(viewer)
  if (person_id === undefined) return []
  const of_staff = await personOnSide(db, { person_id, account_id: null })
  const found = await teamQueries(db).accountsOf.all({ person_id })
  return [
    ...(of_staff ? [{ account_id: null, account: null, role: of_staff.role, is_suspended: false }] : []),
    ...found.map(({ account: { id, name, status }, role }) => ({
      account_id: id,
      account: name,
      role,
      is_suspended: status === 'suspended',
    })),
  ].map((side) => ({ ...side, is_current: isAt(viewer, side.account_id) }))
}
