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
const tags = ['Account']

/**
 * `GET /api/v1/account`: the caller's money and limits. `GET /api/v1/usage`: the calls of all keys of their account, and
 * of no other; with `sums=day`, the sums by day (UTC), model and key. `GET /api/v1/entries`: the
 * movements of their balance. `GET /api/v1/events`: the calls as they happen,
 * as server-sent events.
 */
export function billing(gateway: Pick<Gateway, 'exchange' | 'requests' | 'db'>, timers: FeedTimers = {}) {
  const { db } = gateway
  const { gate, now } = gateway.exchange
  const openFeed = callersFeeds(gateway.exchange, timers)

  /** Read anew: the gate caches a caller for a second, and their money moves on meanwhile. */
  function current({ key }: Caller): KeyOfAccount {
    const found = findKey(db, key.sha256)
    if (!found) throw unknownKey()
    return found
  }

  return new Elysia({ name: 'billing' })
    .use(freeCalls(gateway, SURFACE))
    .get('/api/v1/account', ({ caller }) => accountView(current(caller), gateway.exchange), {
      query: AccountQuery,
      response: { 200: AccountView, ...FAILURES },
      detail: {
        tags,
        operationId: 'getAccount',
        summary: 'Read the account',
        description: 'Its money, its limits with what counts against them now, and the key that asks.',
      },
    })
    .get(
      '/api/v1/usage',
      ({ caller, query }) => {
        const asked = readUsageRequest(query, { account_id: caller.account.id, now_ms: now() })
        return asked.kind === 'sums'
          ? sumsView(dailySums(db, asked.filter, asked.request))
          : pageView(listCalls(db, asked.filter, asked.page))
      },
      {
        query: UsageQuery,
        response: { 200: UsageView, ...FAILURES },
        detail: {
          tags,
          operationId: 'listUsage',
          summary: 'List calls, or their daily sums',
          description:
            'The calls of all keys of the account, newest first; with `sums=day` their sums by day, model and key. A page has at most 500 calls, or 250 sums.',
        },
      },
    )
    .get('/api/v1/entries', ({ caller, query }) => entriesPage(db, caller.account.id, query), {
      query: EntriesQuery,
      response: { 200: EntriesView, ...FAILURES },
      detail: {
        tags,
        operationId: 'listEntries',
        summary: 'List movements of the balance',
        description: 'Signed, newest first: their sum is the balance.',
      },
    })
    .get(
      '/api/v1/events',
      ({ caller, origin, request }) => openFeed({ caller, request, recheck: () => gate.admit(origin) }),
      {
        query: AccountQuery,
        response: { 200: Feed, ...FAILURES },
        detail: {
          tags,
          operationId: 'watchCalls',
          summary: 'Watch calls as they happen',
          description:
            'Server-sent events for as long as the connection stays. A key may have four open. Nothing is sent again.',
        },
      },
    )
}
