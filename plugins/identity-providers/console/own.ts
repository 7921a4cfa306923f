// Routes of the viewer's identities: the list, linking another one, and unlinking.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { requireFresh } from '../../../src/access/fresh-sign-in.ts'
import { requirePerson } from '../../../src/access/viewer.ts'
import { type ConsoleParts, changed, FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { WholeNumber } from '../../../src/http/parameters.ts'
import { flowCookie } from '../flow.ts'
import { identitiesOf } from '../identities.ts'
import { requireForSide, unlinkIdentity } from '../linking.ts'
import { isFor } from '../settings.ts'
import type { ProviderSignIn } from '../signing-in.ts'
import { IdentitiesView, identityView, PurposeOfOwn, providerView, StartView, UnlinkedView } from './views.ts'
import { pageOf, startForm } from './visitors.ts'

const PATH = '/console/api/identities'

export function ownRoutes(gateway: ConsoleParts, own: ProviderSignIn) {
  const { db } = gateway
  const { now } = gateway.calls
  return new Elysia({ name: 'console-identities' })
    .use(viewerCalls(gateway, { reads: 'change_own_sign_in', changes: 'change_own_sign_in' }))
    .get(
      PATH,
      async ({ viewer }) => {
        requirePerson(viewer)
        const providers = own.providers()
        const titles = new Map(providers.map(({ name, title }) => [name, title]))
        const side = viewer.side === 'operator' ? 'staff' : 'accounts'
        return {
          identities: (await identitiesOf(db, viewer.person_id)).map((row) =>
            identityView(row, titles.get(row.provider)),
          ),
          providers: providers.filter((each) => isFor(each, side)).map(providerView),
        }
      },
      { response: { 200: IdentitiesView, ...FAILURES } },
    )
    .post(
      `${PATH}/start`,
      async ({ viewer, body: { provider, purpose, next = '/settings' }, request, set }) => {
        requirePerson(viewer)
        if (purpose === 'link') requireFresh(viewer, now())
        const { session_id } = viewer
        requireForSide(own.provider(provider), viewer)
        const form = startForm(gateway, request)
        const { url, flow } = await own.start({ provider, purpose, session_id, next: pageOf(next) })
        set.headers['set-cookie'] = flowCookie(form, flow)
        return { url }
      },
      { body: PurposeOfOwn, response: { 200: StartView, ...FAILURES } },
    )
    .delete(
      `${PATH}/:id`,
      async ({ viewer, origin, params: { id } }) => {
        requireFresh(viewer, now())
        const ways = gateway.people.sign_in_ways
        await changed(gateway, { viewer, origin }, (tx) => unlinkIdentity(tx, id, { viewer, own, ways }))
        return { unlinked: true as const }
      },
      { params: IdentityParams, response: { 200: UnlinkedView, ...FAILURES } },
    )
}

const IdentityParams = Type.Object({ id: WholeNumber({ minimum: 1 }, 'the number of an identity') })
