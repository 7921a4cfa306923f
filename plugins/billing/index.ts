// The billing surface: GET /api/v1/account, /api/v1/usage, /api/v1/entries, and the live feed of calls, /api/v1/events.
import { Elysia } from 'elysia'
import { type Caller, COMMON_FORMS, unknownKey } from '../../src/access/gate.ts'
import { findKey, type KeyOfAccount } from '../../src/access/lookup.ts'
import { ErrorBody, plainError } from '../../src/http/plain-error.ts'
import { listCalls } from '../../src/ledger/history.ts'
import { dailySums } from '../../src/ledger/sums.ts'
import { freeCalls } from '../../src/surface/calls.ts'
import type { FeedTimers } from '../../src/surface/feed.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { failures } from '../../src/surface/responses.ts'
import { EntriesQuery, EntriesView, entriesPage } from './entries.ts'
import { callersFeeds, Feed } from './events.ts'
import { AccountQuery, readUsageRequest, UsageQuery } from './model.ts'
import { AccountView, accountView, pageView, sumsView, UsageView } from './views.ts'

const SURFACE = { surface: 'billing', forms: COMMON_FORMS, render: plainError }
const FAILURES = failures(ErrorBody, 400, 401, 403, 429, 500)

/**
 * `GET /api/v1/account`: the caller's money and limits. `GET /api/v1/usage`: the calls of all keys of their account, and
 * of no other; with `sums=day`, the sums by day (UTC), model and key. `GET /api/v1/entries`: the
 * movements of their balance. `GET /api/v1/events`: the calls as they happen,
 * as server-sent events.
 */
export function billing(gateway: Gateway, timers: FeedTimers = {}) {
  const { db, catalogue, gate, limiter, now } = gateway
  const openFeed = callersFeeds(gateway, timers)

  /** Read anew: the gate caches a caller for a second, and their money moves on meanwhile. */
  function current({ key }: Caller): KeyOfAccount {
    const found = findKey(db, key.sha256)
    if (!found) throw unknownKey()
    return found
  }

  return new Elysia({ name: 'billing' })
    .use(freeCalls(gateway, SURFACE))
    .get('/api/v1/account', ({ caller }) => accountView(current(caller), catalogue().limits, limiter), {
      query: AccountQuery,
      response: { 200: AccountView, ...FAILURES },
    })
    .get(
      '/api/v1/usage',
      ({ caller, query }) => {
        const asked = readUsageRequest(query, { account_id: caller.account.id, now_ms: now() })
        return asked.kind === 'sums'
          ? sumsView(dailySums(db, asked.filter, asked.request))
          : pageView(listCalls(db, asked.filter, asked.page))
      },
      { query: UsageQuery, response: { 200: UsageView, ...FAILURES } },
    )
    .get('/api/v1/entries', ({ caller, query }) => entriesPage(db, caller.account.id, query), {
      query: EntriesQuery,
      response: { 200: EntriesView, ...FAILURES },
    })
    .get(
      '/api/v1/events',
      ({ caller, origin, request }) => openFeed({ caller, request, recheck: () => gate.admit(origin) }),
      { query: AccountQuery, response: { 200: Feed, ...failures(ErrorBody, 400, 401, 403, 429, 500) } },
    )
}
