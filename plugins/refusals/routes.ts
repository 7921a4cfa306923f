// The route of an account's refused requests, GET /api/v1/refusals.
import { Elysia } from 'elysia'
import { callersList } from '../../src/app/list/pages.ts'
import { ACCOUNT_FAILURES, accountCalls, scopeOf } from '../../src/app/surface/account-calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { refused_requests } from './list.ts'

/** A key with its own limits sees only its own requests, unless its account allows more. */
export function refusalRoutes(gateway: Pick<Gateway, 'calls' | 'requests' | 'db'>) {
  const list = callersList(gateway, refused_requests, 'A page of refused requests.')
  return new Elysia({ name: 'refusals' })
    .use(accountCalls(gateway))
    .get('/api/v1/refusals', async ({ caller, query }) => list.page(await scopeOf(gateway, caller), query), {
      query: list.query,
      response: { 200: list.page_schema, ...ACCOUNT_FAILURES },
      detail: {
        tags: ['Account'],
        operationId: 'listRefusals',
        summary: 'List refused requests',
        description:
          'Requests that were refused and cost nothing, newest first, a second after they came; kept for 30 days. Of each reason the first 20 of an hour are listed, all are counted. A key with limits of its own sees its own only, unless the account allows more; a member’s always.',
      },
    })
}
