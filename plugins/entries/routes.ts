// The route by which callers read the entries of their account: GET /api/v1/entries.
import { Elysia } from 'elysia'
import { ACCOUNT_FAILURES, accountCalls, scopeOf, seesOwnOnly } from '../../src/app/surface/account-calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { EntriesQuery, EntriesView, entriesPage } from './callers.ts'

/** A limited key sees none, unless its account allows more. */
export function entryRoutes(gateway: Pick<Gateway, 'exchange' | 'requests' | 'db'>) {
  return new Elysia({ name: 'entries' }).use(accountCalls(gateway)).get(
    '/api/v1/entries',
    async ({ caller, query }) => {
      if ((await scopeOf(gateway, caller)).only) throw seesOwnOnly()
      return entriesPage(gateway.db, caller.account.id, query)
    },
    {
      query: EntriesQuery,
      response: { 200: EntriesView, ...ACCOUNT_FAILURES },
      detail: {
        tags: ['Account'],
        operationId: 'listEntries',
        summary: 'List movements of the balance',
        description:
          'Signed, newest first: their sum is the balance. Not for a key with limits of its own, unless the account allows it.',
      },
    },
  )
}
