// Choices for the filters of calls: accounts, keys, models and providers.

import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { accountOf, isOfKey, type Viewer } from '../../../src/access/viewer.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { AccountRef } from '../../../src/app/surface/console/fields.ts'
import { requestedAccount } from '../../../src/app/surface/console/references.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { Closed } from '../../../src/http/schema.ts'
import { accountNames, keyNames } from '../name-lists.ts'

const FiltersQuery = Closed({ account: Type.Optional(AccountRef) })
const FiltersView = Closed({
  /** For the operator alone. */
  accounts: Type.Array(Closed({ id: Type.Integer(), name: Type.String(), display_name: Type.String() })),
  /** Of the requested account, or the viewer's own. */
  keys: Type.Array(Closed({ id: Type.Integer(), name: Type.String(), prefix: Type.String() })),
  models: Type.Array(Type.String()),
  /** For the operator alone. */
  providers: Type.Array(Type.String()),
})

/** `GET /console/api/call-filters`. */
export function callFilterRoutes(gateway: ConsoleParts) {
  return new Elysia({ name: 'console-call-filters' })
    .use(viewerCalls(gateway))
    .get('/console/api/call-filters', ({ viewer, query }) => filtersView(gateway, viewer, query.account), {
      query: FiltersQuery,
      response: { 200: FiltersView, ...FAILURES },
    })
}

/** @throws GatewayError not_found for another's account */
async function filtersView(
  gateway: Pick<Gateway, 'calls' | 'db'>,
  viewer: Viewer,
  requested: string | undefined,
): Promise<Static<typeof FiltersView>> {
  const { db, calls } = gateway
  const own = accountOf(viewer)
  const account_id = await requestedAccount(gateway, viewer, requested)
  const { models, providers } = calls.catalogue()
  const keys = account_id === undefined ? [] : await keyNames(db, account_id)
  return {
    accounts: own === undefined ? await accountNames(db) : [],
    keys: keys.filter(({ id }) => isOfKey(viewer, id)),
    models: [...models.keys()].sort(),
    providers: own === undefined ? [...providers.keys()].sort() : [],
  }
}
