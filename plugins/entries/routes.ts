// API route of the account's entries: GET /api/v1/entries.
import { Elysia } from 'elysia'
import { callersList } from '../../src/app/list/pages.ts'
import { ACCOUNT_FAILURES, accountCalls, scopeOf } from '../../src/app/surface/account-calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { entry_list } from './list.ts'

/** A limited key sees no entries, unless its account allows it. */
export function entryRoutes(gateway: Pick<Gateway, 'calls' | 'requests' | 'db'>) {
  const list = callersList(gateway, entry_list, 'A page of entries.')
  return new Elysia({ name: 'entries' })
    .use(accountCalls(gateway))
    .get('/api/v1/entries', async ({ caller, query }) => list.page(await scopeOf(gateway, caller), query), {
      query: list.query,
      response: { 200: list.page_schema, ...ACCOUNT_FAILURES },
      detail: {
        tags: ['Account'],
        operationId: 'listEntries',
        summary: 'List movements of the balance',
        description:
          'Signed, newest first: their sum is the balance. Not for a member’s key, nor for one with limits of its own, unless the account allows it.',
      },
    })
}
