// Parameters and responses of GET /api/v1/usage: calls and daily sums, without providers.
import { type Static, Type } from '@sinclair/typebox'
import { type FieldsOf, fieldsFor, rowFor } from '../../src/app/list/columns.ts'
import { KEY_FIELDS, KeyPrefix, refuseOtherKeys } from '../../src/app/surface/account-calls.ts'
import { OUTCOMES } from '../../src/domain/outcomes.ts'
import { DAY_MS, dayStart } from '../../src/domain/ranges.ts'
import { USAGE_FIELDS } from '../../src/domain/usage.ts'
import { MAX_LIMIT, PAGE_FIELDS, PAGE_PARAMETERS, pageFields, pageOf } from '../../src/http/paging.ts'
import { ModelName } from '../../src/http/parameters.ts'
import { PERIOD_PARAMETERS, readPeriod, readZone } from '../../src/http/period.ts'
import { Closed, OneOf } from '../../src/http/schema.ts'
import { money } from '../../src/http/views.ts'
import type { CallFilter } from '../../src/money/ledger/queries.ts'
import type { DailySum, SumsPage, SumsRequest } from '../../src/money/ledger/sums.ts'
import type { Page, PageRequest } from '../../src/store/page.ts'
import type { Key } from '../../src/store/schema.ts'
import { call_columns } from './columns.ts'
import type { RecordedCall } from './listing.ts'

/** The default period of sums, because summing a long history takes time. */
const DEFAULT_SUMS_MS = 31 * DAY_MS

/** The maximum calls of a page, at any `limit`; reading them takes about 10 ms. */
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

type UsageRequest =
  | { kind: 'calls'; filter: CallFilter; page: PageRequest }
  | { kind: 'sums'; filter: CallFilter; request: SumsRequest }

/**
 * Reads the request from a validated query.
 *
 * @param account_id the caller's account
 * @param only the caller's key, if it sees only its own calls
 * @throws GatewayError invalid_request for days or zones that do not exist, or a time that ends before it begins; permission_denied
 * for another key's calls if `only` is set
 */
export function readUsageRequest(
  query: Static<typeof UsageQuery>,
  { account_id, only, now_ms }: { account_id: number; only?: Key | undefined; now_ms: number },
): UsageRequest {
  const { key, model, outcome, sums } = query
  refuseOtherKeys(key, only)
  const zone = readZone(query)
  const { since_ms, until_ms } = readPeriod(query)
  const outcomes = outcome && [outcome]
  const filter = {
    account_id,
    key_ids: only && [only.id],
    key_prefix: key,
    model,
    outcomes,
    since_ms,
    until_ms,
  }
  if (sums === undefined) {
    const { limit, cursor } = pageOf(query)
    return { kind: 'calls', filter, page: { limit: Math.min(limit, MAX_CALLS), cursor } }
  }
  return {
    kind: 'sums',
    filter: { ...filter, since_ms: since_ms ?? dayStart((until_ms ?? now_ms) - DEFAULT_SUMS_MS, zone) },
    request: { ...pageOf({ limit: MAX_LIMIT, ...query }), zone },
  }
}

const CALL_FIELDS = fieldsFor(call_columns, ['caller']) as FieldsOf<typeof call_columns, 'caller'>

const CallView = Closed({ ...CALL_FIELDS, outcome: OneOf(OUTCOMES, { description: 'How it ended.' }) })

const SumView = Closed({
  day: Type.String({ description: 'The day, in the time zone `zone`.' }),
  ...KEY_FIELDS,
  model: Type.String({ description: 'The model.' }),
  calls: Type.Integer({ description: 'How many calls there were.' }),
  ...Type.Pick(CallView, [...USAGE_FIELDS, 'images', 'cost_nanos', 'cost_usd', 'unpaid_nanos', 'unpaid_usd'])
    .properties,
})

export const UsageView = Type.Union(
  [
    Closed({ calls: Type.Array(CallView, { description: 'Newest first.' }), ...PAGE_FIELDS }),
    Closed({ sums: Type.Array(SumView, { description: 'Newest day first.' }), ...PAGE_FIELDS }),
  ],
  { description: 'A page.' },
)

export const pageView = (page: Page<RecordedCall>) => ({
  calls: page.rows.map(callView),
  ...pageFields(page),
})

function callView(call: RecordedCall): Static<typeof CallView> {
  const row: object = rowFor(call_columns, 'caller', call)
  return row as Static<typeof CallView>
}

export const sumsView = (page: SumsPage) => ({ sums: page.sums.map(sumView), ...pageFields(page) })

function sumView(sum: DailySum) {
  const { account_id, account_name, key_id, key_name, provider_cost_nanos, known_revenue_nanos, ...rest } =
    sum
  const { cost_nanos, unpaid_nanos, uncosted_calls, ...counted } = rest
  const { covered_calls, covered_nanos, covered_cost_nanos, ...counts } = counted
  return { ...counts, key: key_name, ...money('cost', cost_nanos), ...money('unpaid', unpaid_nanos) }
}
