// Route of callers for the calls of their account: GET /api/v1/usage.
import { Elysia } from 'elysia'
import { ACCOUNT_FAILURES, accountCalls, scopeOf } from '../../src/app/surface/account-calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { dailySums } from '../../src/money/ledger/sums.ts'
import { listCalls } from './listing.ts'
import { pageView, readUsageRequest, sumsView, UsageQuery, UsageView } from './usage-views.ts'

const tags = ['Account']

/** A key with limits sees only its own calls, unless its account allows more; a member's key always does. */
export function callRoutes(gateway: Pick<Gateway, 'calls' | 'requests' | 'db'>) {
  const { db } = gateway
  const { now } = gateway.calls

  return new Elysia({ name: 'calls' }).use(accountCalls(gateway)).get(
    '/api/v1/usage',
    async ({ caller, query }) => {
      const request = readUsageRequest(query, { ...(await scopeOf(gateway, caller)), now_ms: now() })
      return request.kind === 'sums'
        ? sumsView(await dailySums(db, request.filter, request.request))
        : pageView(await listCalls(db, request.filter, request.page))
    },
    {
      query: UsageQuery,
      response: { 200: UsageView, ...ACCOUNT_FAILURES },
      detail: {
        tags,
        operationId: 'listUsage',
        summary: 'List calls, or their daily sums',
        description:
          'The calls of all keys of the account, newest first; with `sums=day` their sums by day, model and key. A key with limits of its own sees its own calls only, unless the account allows more; a member’s always. A page has at most 500 calls, or 250 sums.',
      },
    },
  )
}
