// Owns what callers are shown of their account, their key and their calls. Which provider served is the operator's affair.

import type { Limiter } from '../../src/access/limits.ts'
import { limitsFor } from '../../src/access/limits.ts'
import type { KeyOfAccount } from '../../src/access/lookup.ts'
import type { Limit, Limits } from '../../src/domain/catalogue.ts'
import { money, time } from '../../src/http/views.ts'
import type { CallPage, DailySum, RecordedCall } from '../../src/ledger/history.ts'

/** An account with its money, what of it new calls may use, its limits, and the key that asks. */
export function accountView({ account, key }: KeyOfAccount, limits: Limits, limiter: Limiter) {
  const of_call = limitsFor(limits, account.name, key.prefix)
  return {
    account: account.name,
    status: account.status,
    ...money('balance', account.balance_nanos),
    ...money('held', account.held_nanos),
    ...money('available', account.balance_nanos - account.held_nanos),
    ...money('debt', account.debt_nanos),
    limits: {
      account: limitsView(of_call.account, limiter.used('account', account.id)),
      key: limitsView(of_call.key, limiter.used('key', key.id)),
    },
    key: {
      name: key.name,
      prefix: key.prefix,
      models: key.models,
      ...money('spend_limit', key.spend_limit_nanos),
      ...money('spent', key.spent_nanos),
      ...money('held', key.held_nanos),
      ...time('expires', key.expires_at_ms),
    },
  }
}

/** The limits that are set, each with what counts against it now. */
function limitsView(limit: Limit, used: Record<keyof Limit, number>) {
  return Object.fromEntries(
    LIMITS.flatMap((name) =>
      limit[name] === undefined ? [] : [[name, { limit: limit[name], used: used[name] }]],
    ),
  )
}

const LIMITS = [
  'requests_per_minute',
  'tokens_per_minute',
  'concurrent_calls',
] as const satisfies (keyof Limit)[]

/** One page of calls, the newest first. */
export const pageView = ({ calls, next_cursor }: CallPage) => ({
  calls: calls.map(callView),
  next_cursor: next_cursor ?? null,
})

/** The price that was applied comes as the object that was stored; null where nothing was charged. */
function callView(call: RecordedCall) {
  const { id, account_id, account_name, key_id, provider, upstream_model, ...shown } = call
  const { key_name, streamed, estimated, hold_nanos, cost_nanos, unpaid_nanos, price, ...rest } = shown
  const { started_at_ms, ...plain } = rest
  return {
    ...plain,
    key: key_name,
    streamed: streamed === 1,
    estimated: estimated === 1,
    ...money('hold', hold_nanos),
    ...money('cost', cost_nanos),
    ...money('unpaid', unpaid_nanos),
    price: price === '' ? null : JSON.parse(price),
    ...time('started', started_at_ms),
  }
}

/** What one key's calls of one model came to on one day. */
export function sumView(sum: DailySum) {
  const { account_id, account_name, key_id, key_name, cost_nanos, unpaid_nanos, ...counts } = sum
  return { ...counts, key: key_name, ...money('cost', cost_nanos), ...money('unpaid', unpaid_nanos) }
}
