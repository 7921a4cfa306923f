// The route by which callers read their account: GET /api/v1/account.
import { Elysia } from 'elysia'
import { ACCOUNT_FAILURES, accountCalls, currentCaller } from '../../src/app/surface/account-calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { Closed } from '../../src/http/schema.ts'
import { AccountView, accountView } from './views.ts'

export function billing(gateway: Pick<Gateway, 'calls' | 'requests' | 'db'>) {
  return new Elysia({ name: 'billing' })
    .use(accountCalls(gateway))
    .get(
      '/api/v1/account',
      async ({ caller }) => accountView(await currentCaller(gateway, caller), gateway.calls),
      {
        query: Closed({}),
        response: { 200: AccountView, ...ACCOUNT_FAILURES },
        detail: {
          tags: ['Account'],
          operationId: 'getAccount',
          summary: 'Read the account',
          description: 'Its money, its limits with what counts against them now, and the key that asks.',
        },
      },
    )
}
