// What a filter of calls comes to: how many they are, how many failed, what they cost, and the operator's margin.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { accountOf } from '../../../src/access/viewer.ts'
import { Closed, Nullable } from '../../../src/http/schema.ts'
import { MoneyFields, money } from '../../../src/http/views.ts'
import { callTotals } from '../../../src/ledger/call-totals.ts'
import { NO_CALLS } from '../../../src/ledger/totals.ts'
import type { RefusalFilter } from '../../../src/refusals/listing.ts'
import { countRefused } from '../../../src/refusals/sums.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../calls.ts'
import { CALL_FILTERS, callsAsked } from './calls-asked.ts'
import { MARGIN_SUM_FIELDS, marginOfSum } from './margin-views.ts'

const SumsView = Closed({
  calls: Type.Integer(),
  failed: Type.Integer({ description: 'of these, those that failed or broke off' }),
  refused: Nullable(
    Type.Integer({
      description:
        'requests that were refused, which are no calls; null by model or status, which are not counted',
    }),
  ),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  images: Type.Integer(),
  ...MoneyFields('cost'),
  ...MARGIN_SUM_FIELDS,
})

/** It looks at all calls, where the kept sums do not tell those that match from others. */
const COUNTS_AS = 50

/** `GET /console/api/call-sums`, with the filters of the list of calls. */
export function callSumRoutes(gateway: ConsoleParts) {
  return new Elysia({ name: 'console-call-sums' }).use(viewerCalls(gateway, { counts_as: COUNTS_AS })).get(
    '/console/api/call-sums',
    async ({ viewer, query }) => {
      const { calls, refusals } = callsAsked(gateway, viewer, query)
      const total = calls ? await callTotals(gateway.db, calls) : NO_CALLS
      const { cost_nanos, provider_cost_nanos, known_revenue_nanos, ...counts } = total
      const is_operator = accountOf(viewer) === undefined
      return {
        ...counts,
        refused: refusals ? refusedOf(gateway, refusals) : 0,
        ...money('cost', cost_nanos),
        ...marginOfSum({ provider_cost_nanos, known_revenue_nanos }, is_operator),
      }
    },
    { query: Closed(CALL_FILTERS), response: { 200: SumsView, ...FAILURES } },
  )
}

function refusedOf(
  { db }: Pick<ConsoleParts, 'db'>,
  { model, status, since_ms = 0, until_ms = Number.MAX_SAFE_INTEGER, ...whose }: RefusalFilter,
): number | null {
  if (model !== undefined || status !== undefined) return null
  return countRefused(db, { ...whose, span: 'hour', from_ms: since_ms, until_ms })
}
