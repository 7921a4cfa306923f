// The billing surface: GET /api/v1/account, /api/v1/usage, /api/v1/entries, and the live feed of calls, /api/v1/events.
import { Elysia } from 'elysia'
import {
  ACCOUNT_FAILURES,
  accountCalls,
  currentCaller,
  scopeOf,
  seesOwnOnly,
} from '../../src/app/surface/account-calls.ts'
import type { FeedTimers } from '../../src/app/surface/feed.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { listCalls } from '../../src/money/ledger/history.ts'
import { dailySums } from '../../src/money/ledger/sums.ts'
import { DETAILS } from './details.ts'
import { EntriesQuery, EntriesView, entriesPage } from '../entries/callers.ts'
import { callersFeeds, Feed } from '../calls/events.ts'
import { AccountQuery, readUsageRequest, UsageQuery } from '../calls/usage-query.ts'
import { AccountView, accountView, pageView, sumsView, UsageView } from './views.ts'

/**
 * `GET /api/v1/account`: the caller's money and limits. `GET /api/v1/usage`: the calls of all keys of their account, and
 * of no other; with `sums=day`, the sums by day (UTC), model and key.
 * `GET /api/v1/entries`: the movements of their balance. `GET /api/v1/events`: the calls as they happen, as server-sent
 * events. A limited key sees its own calls only, and no entries, unless its account allows more.
 */
export function billing(gateway: Pick<Gateway, 'exchange' | 'requests' | 'db'>, timers: FeedTimers = {}) {
  const { db } = gateway
  const { gate, now } = gateway.exchange
  const openFeed = callersFeeds(gateway.exchange, timers)

  return new Elysia({ name: 'billing' })
    .use(accountCalls(gateway))
    .get(
      '/api/v1/account',
      async ({ caller }) => accountView(await currentCaller(gateway, caller), gateway.exchange),
      {
        query: AccountQuery,
        response: { 200: AccountView, ...ACCOUNT_FAILURES },
        detail: DETAILS.getAccount,
      },
    )
    .get(
      '/api/v1/usage',
      async ({ caller, query }) => {
        const request = readUsageRequest(query, { ...(await scopeOf(gateway, caller)), now_ms: now() })
        return request.kind === 'sums'
          ? sumsView(await dailySums(db, request.filter, request.request))
          : pageView(await listCalls(db, request.filter, request.page))
      },
      { query: UsageQuery, response: { 200: UsageView, ...ACCOUNT_FAILURES }, detail: DETAILS.listUsage },
    )
    .get(
      '/api/v1/entries',
      async ({ caller, query }) => {
        if ((await scopeOf(gateway, caller)).only) throw seesOwnOnly()
        return entriesPage(db, caller.account.id, query)
      },
      {
        query: EntriesQuery,
        response: { 200: EntriesView, ...ACCOUNT_FAILURES },
        detail: DETAILS.listEntries,
      },
    )
    .get(
      '/api/v1/events',
      ({ caller, origin, request }) => {
        const seesAll = async () => (await scopeOf(gateway, caller)).only === undefined
        return openFeed({ caller, request, recheck: () => gate.admit(origin), seesAll })
      },
      {
        query: AccountQuery,
        response: { 200: Feed, ...ACCOUNT_FAILURES },
        detail: DETAILS.watchCalls,
      },
    )
}
