// The parameters of GET /api/v1/usage, and the calls or sums that they request.

import { type Static, Type } from '@sinclair/typebox'
import { KeyPrefix, refuseOtherKeys } from '../../src/app/surface/account-calls.ts'
import { OUTCOMES } from '../../src/domain/outcomes.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import { MAX_LIMIT, PAGE_PARAMETERS, pageOf } from '../../src/http/paging.ts'
import { ModelName } from '../../src/http/parameters.ts'
import { PERIOD_PARAMETERS, readPeriod } from '../../src/http/period.ts'
import { Closed, OneOf } from '../../src/http/schema.ts'
import type { CallFilter } from '../../src/money/ledger/call-filter.ts'
import type { SumsRequest } from '../../src/money/ledger/sums.ts'
import type { PageRequest } from '../../src/store/page.ts'
import type { Key } from '../../src/store/schema.ts'

/** How far back sums go by default: a long history is summed whole only on request. */
const DEFAULT_SUMS_MS = 31 * DAY_MS

/** The most calls of a page, whatever its limit: about 10 ms. */
const MAX_CALLS = 500

export const UsageQuery = Closed({
  key: KeyPrefix,
  model: Type.Optional({ ...ModelName, description: 'Of this model only.', examples: ['sim-flash'] }),
  ...PERIOD_PARAMETERS,
  outcome: Type.Optional(
    OneOf(OUTCOMES, { description: 'Ended in this way only.', examples: ['completed'] }),
  ),
  ...PAGE_PARAMETERS,
  sums: Type.Optional(
    Type.Literal('day', {
      must: '"day"',
      description: 'Sums by day in place of calls; a page has as many as it can unless `limit` is given.',
      examples: ['day'],
    }),
  ),
})

/** A page of calls, or of sums. */
export type UsageRequest =
  | { kind: 'calls'; filter: CallFilter; page: PageRequest }
  | { kind: 'sums'; filter: CallFilter; request: SumsRequest }

/**
 * The request of a checked query.
 *
 * @param account_id of the caller; no query can name another
 * @param only the caller's key, where it sees its own calls only
 * @throws GatewayError invalid_request for days that do not exist, or a time that ends before it begins; permission_denied
 * for another key's calls where `only` is given
 */
export function readUsageRequest(
  query: Static<typeof UsageQuery>,
  { account_id, only, now_ms }: { account_id: number; only?: Key | undefined; now_ms: number },
): UsageRequest {
  const { key, model, outcome, sums } = query
  refuseOtherKeys(key, only)
  const { since_ms, until_ms } = readPeriod(query)
  const outcomes = outcome && [outcome]
  const filter = { account_id, key_id: only?.id, key_prefix: key, model, outcomes, since_ms, until_ms }
  if (sums === undefined) {
    const { limit, cursor } = pageOf(query)
    return { kind: 'calls', filter, page: { limit: Math.min(limit, MAX_CALLS), cursor } }
  }
  return {
    kind: 'sums',
    filter: { ...filter, since_ms: since_ms ?? firstDay(until_ms ?? now_ms) },
    request: { ...pageOf({ limit: MAX_LIMIT, ...query }), zone: 'utc' },
  }
}

const firstDay = (end_ms: number): number => Math.floor((end_ms - DEFAULT_SUMS_MS) / DAY_MS) * DAY_MS
