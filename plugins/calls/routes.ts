// The routes by which callers read the calls of their account: GET /api/v1/usage, and the live feed GET /api/v1/events.
import { Elysia } from 'elysia'
import { ACCOUNT_FAILURES, accountCalls, scopeOf } from '../../src/app/surface/account-calls.ts'
import type { FeedTimers } from '../live-feed/feed.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { Closed } from '../../src/http/schema.ts'
import { listCalls } from '../../src/money/ledger/history.ts'
import { dailySums } from '../../src/money/ledger/sums.ts'
import { callersFeeds, Feed } from '../live-feed/callers-feed.ts'
import { readUsageRequest, UsageQuery } from './usage-query.ts'
import { pageView, sumsView, UsageView } from './usage-views.ts'

const tags = ['Account']

/** A key with limits of its own sees its own calls only, unless its account allows more. */
export function callRoutes(gateway: Pick<Gateway, 'exchange' | 'requests' | 'db'>, timers: FeedTimers = {}) {
  const { db } = gateway
  const { gate, now } = gateway.exchange
  const openFeed = callersFeeds(gateway.exchange, timers)

  return new Elysia({ name: 'calls' })
    .use(accountCalls(gateway))
    .get(
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
            'The calls of all keys of the account, newest first; with `sums=day` their sums by day, model and key. A key with limits of its own sees its own calls only, unless the account allows more. A page has at most 500 calls, or 250 sums.',
        },
      },
    )
    .get(
      '/api/v1/events',
      ({ caller, origin, request }) => {
        const seesAll = async () => (await scopeOf(gateway, caller)).only === undefined
        return openFeed({ caller, request, recheck: () => gate.admit(origin), seesAll })
      },
      {
        query: Closed({}),
        response: { 200: Feed, ...ACCOUNT_FAILURES },
        detail: {
          tags,
          operationId: 'watchCalls',
          summary: 'Watch calls as they happen',
          description:
            'Server-sent events for as long as the connection stays. A key with limits of its own sees its own calls only, unless the account allows more. A key may have four open. Nothing is sent again.',
        },
      },
    )
}
