// What calls can be filtered by: the accounts, keys, models and providers that there are, for the lists of a page's filters.

import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { accountNames, keyNames } from '../../../src/access/name-lists.ts'
import { accountOf, type Viewer } from '../../../src/access/viewer.ts'
import { notFound } from '../../../src/domain/errors.ts'
import { WholeNumber } from '../../../src/http/parameters.ts'
import { Closed } from '../../../src/http/schema.ts'
import type { Gateway } from '../../../src/surface/gateway.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../calls.ts'

const FiltersQuery = Closed({ account: Type.Optional(WholeNumber({ minimum: 1 }, 'a whole number from 1')) })
const FiltersView = Closed({
  /** For the operator alone. */
  accounts: Type.Array(Closed({ id: Type.Integer(), name: Type.String() })),
  /** Of the account that was asked for, or that looks. */
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
function filtersView(
  { db, exchange: { catalogue } }: Pick<Gateway, 'exchange' | 'db'>,
  viewer: Viewer,
  asked: number | undefined,
): Static<typeof FiltersView> {
  const own = accountOf(viewer)
  if (own !== undefined && asked !== undefined && asked !== own)
    throw notFound('Account not found.', { param: 'account' })
  const account_id = own ?? asked
  const { models, providers } = catalogue()
  return {
    accounts: own === undefined ? accountNames(db) : [],
    keys: account_id === undefined ? [] : keyNames(db, account_id),
    models: [...models.keys()].sort(),
    providers: own === undefined ? [...providers.keys()].sort() : [],
  }
}
