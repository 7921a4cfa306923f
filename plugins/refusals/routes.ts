// The route by which callers read the refused requests of their account: GET /api/v1/refusals.
import { Elysia } from 'elysia'
import { ACCOUNT_FAILURES, accountCalls, scopeOf } from '../../src/surface/account-calls.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { RefusalsQuery, RefusalsView, refusalsPage } from './views.ts'

/** A limited key sees its own requests only, unless its account allows more. */
export const refusalRoutes = (gateway: Pick<Gateway, 'exchange' | 'requests' | 'db'>) =>
  new Elysia({ name: 'refusals' })
    .use(accountCalls(gateway))
    .get(
      '/api/v1/refusals',
      async ({ caller, query }) => refusalsPage(gateway.db, await scopeOf(gateway, caller), query),
      {
        query: RefusalsQuery,
        response: { 200: RefusalsView, ...ACCOUNT_FAILURES },
        detail: {
          tags: ['Account'],
          operationId: 'listRefusals',
          summary: 'List refused requests',
          description:
            'Requests that were refused and cost nothing, newest first, a second after they came; kept for 30 days. At most 50 an hour are listed, all are counted. A key with limits of its own sees its own only, unless the account allows more.',
        },
      },
    )
