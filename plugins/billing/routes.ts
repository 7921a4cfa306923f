// The billing surface: GET /api/v1/account, /api/v1/usage, /api/v1/refusals, /api/v1/entries, and the live feed of calls, /api/v1/events.
import { Elysia } from 'elysia'
import { type Caller, COMMON_FORMS, unknownKey } from '../../src/access/gate.ts'
import { findKey, type KeyOfAccount } from '../../src/access/lookup.ts'
import { seesAccount } from '../../src/access/sight.ts'
import type { Key } from '../../src/db/schema.ts'
import { ErrorBody, plainError } from '../../src/http/plain-error.ts'
import { listCalls } from '../../src/ledger/history.ts'
import { dailySums } from '../../src/ledger/sums.ts'
import { freeCalls } from '../../src/surface/calls.ts'
import type { FeedTimers } from '../../src/surface/feed.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { failures } from '../../src/surface/responses.ts'
import { DETAILS } from './details.ts'
import { EntriesQuery, EntriesView, entriesPage } from './entries.ts'
import { callersFeeds, Feed } from './events.ts'
import { AccountQuery, readUsageRequest, seesOwnOnly, UsageQuery } from './model.ts'
import { RefusalsQuery, RefusalsView, refusalsPage } from './refusals.ts'
import { AccountView, accountView, pageView, sumsView, UsageView } from './views.ts'

const SURFACE = { surface: 'billing', forms: COMMON_FORMS, render: plainError }
const FAILURES = failures(ErrorBody, 400, 401, 403, 429, 500)

/**
 * `GET /api/v1/account`: the caller's money and limits. `GET /api/v1/usage`: the calls of all keys of their account, and
 * of no other; with `sums=day`, the sums by day (UTC), model and key. `GET /api/v1/refusals`: their refused requests.
 * `GET /api/v1/entries`: the movements of their balance. `GET /api/v1/events`: the calls as they happen, as server-sent
 * events. A limited key sees its own calls only, and no entries, unless its account allows more.
 */
export function billing(gateway: Pick<Gateway, 'exchange' | 'requests' | 'db'>, timers: FeedTimers = {}) {
  const { db } = gateway
  const { gate, ledger, now } = gateway.exchange
  const openFeed = callersFeeds(gateway.exchange, timers)

  /** Read anew: the gate caches a caller for a second, and their money moves on meanwhile. */
  async function current({ key }: Caller): Promise<KeyOfAccount> {
    const found = await findKey(db, key.sha256)
    if (!found) throw unknownKey()
    return found
  }

  /** The key that asks, where it sees its own calls only. */
  async function onlyKey(caller: Caller): Promise<Key | undefined> {
    const { key } = await current(caller)
    return (await seesAccount(db, key)) ? undefined : key
  }
  const whose = async (caller: Caller) => ({ account_id: caller.account.id, only: await onlyKey(caller) })

  return new Elysia({ name: 'billing' })
    .use(freeCalls(gateway, SURFACE))
    .onBeforeHandle(() => ledger.barrier())
    .get('/api/v1/account', async ({ caller }) => accountView(await current(caller), gateway.exchange), {
      query: AccountQuery,
      response: { 200: AccountView, ...FAILURES },
      detail: DETAILS.getAccount,
    })
    .get(
      '/api/v1/usage',
      async ({ caller, query }) => {
        const asked = readUsageRequest(query, { ...(await whose(caller)), now_ms: now() })
        return asked.kind === 'sums'
          ? sumsView(await dailySums(db, asked.filter, asked.request))
          : pageView(await listCalls(db, asked.filter, asked.page))
      },
      { query: UsageQuery, response: { 200: UsageView, ...FAILURES }, detail: DETAILS.listUsage },
    )
    .get('/api/v1/refusals', async ({ caller, query }) => refusalsPage(db, await whose(caller), query), {
      query: RefusalsQuery,
      response: { 200: RefusalsView, ...FAILURES },
      detail: DETAILS.listRefusals,
    })
    .get(
      '/api/v1/entries',
      async ({ caller, query }) => {
        if (await onlyKey(caller)) throw seesOwnOnly()
        return entriesPage(db, caller.account.id, query)
      },
      {
        query: EntriesQuery,
        response: { 200: EntriesView, ...FAILURES },
        detail: DETAILS.listEntries,
      },
    )
    .get(
      '/api/v1/events',
      ({ caller, origin, request }) => {
        const seesAll = async () => !(await onlyKey(caller))
        return openFeed({ caller, request, recheck: () => gate.admit(origin), seesAll })
      },
      {
        query: AccountQuery,
        response: { 200: Feed, ...FAILURES },
        detail: DETAILS.watchCalls,
      },
    )
}
