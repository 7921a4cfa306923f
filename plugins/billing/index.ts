// Owns the account surface: GET /api/v1/account and GET /api/v1/usage.
import { Elysia } from 'elysia'
import { type Caller, COMMON_FORMS, unknownKey } from '../../src/access/gate.ts'
import { findKey, type KeyOfAccount } from '../../src/access/lookup.ts'
import { plainError } from '../../src/http/plain-error.ts'
import { readQuery } from '../../src/http/query.ts'
import { dailySums, listCalls } from '../../src/ledger/history.ts'
import { answering } from '../../src/surface/answering.ts'
import { serveFree } from '../../src/surface/free-call.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import type { Server } from '../../src/surface/origin.ts'
import { createFeeds, type FeedTimers } from './events.ts'
import { NO_QUERY, readUsageRequest, UsageQuery } from './model.ts'
import { accountView, pageView, sumView } from './views.ts'

const SURFACE = { surface: 'account', forms: COMMON_FORMS, render: plainError }

/**
 * `GET /api/v1/account`: the caller's money and limits. `GET /api/v1/usage`: the calls of all keys of his account, and
 * of no other; with `sums=day`, what they came to by day (UTC), model and key.
 */
export function account(gateway: Gateway, timers: FeedTimers = {}) {
  const { db, catalogue, gate, limiter, now } = gateway
  const answer = answering(gateway, SURFACE)
  const openFeed = createFeeds(gateway, timers)

  /** As it is at this moment: the gate may remember a caller for a second, and his money moves on meanwhile. */
  function current({ key }: Caller): KeyOfAccount {
    const found = findKey(db, key.sha256)
    if (!found) throw unknownKey()
    return found
  }

  function usage(caller: Caller, url: URL) {
    const query = readQuery(UsageQuery, url.searchParams)
    const asked = readUsageRequest(query, { account_id: caller.account.id, now_ms: now() })
    if (asked.kind === 'sums') return { sums: dailySums(db, asked.filter, 'utc').map(sumView) }
    return pageView(listCalls(db, asked.filter, asked))
  }

  const serve = (request: Request, server: Server, answer: (caller: Caller) => unknown) =>
    serveFree(gateway, { ...SURFACE, request, server, answer })

  return new Elysia({ name: 'account' })
    .get('/api/v1/account', ({ request, server }) =>
      serve(request, server, (caller) => {
        readQuery(NO_QUERY, new URL(request.url).searchParams)
        return accountView(current(caller), catalogue().limits, limiter)
      }),
    )
    .get('/api/v1/usage', ({ request, server }) =>
      serve(request, server, (caller) => usage(caller, new URL(request.url))),
    )
    .get('/api/v1/events', ({ request, server }) =>
      answer(request, server, ({ credential, address, request_id }) => {
        const recheck = () => gate.admit(credential, address)
        return openFeed({ caller: recheck(), request, request_id, recheck })
      }),
    )
}
