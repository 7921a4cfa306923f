// What a filter of calls comes to: how many they are, how many failed, what they cost, and the operator's margin.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { accountOf } from '../../../src/access/viewer.ts'
import { Closed } from '../../../src/http/schema.ts'
import { MoneyFields, money } from '../../../src/http/views.ts'
import { callTotals } from '../../../src/ledger/call-totals.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../calls.ts'
import { CALL_FILTERS, callsAsked } from './calls-asked.ts'
import { MARGIN_SUM_FIELDS, marginOfSum } from './margin-views.ts'

const SumsView = Closed({
  calls: Type.Integer(),
  failed: Type.Integer({ description: 'of these, those that failed or broke off' }),
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
      const total = await callTotals(gateway.db, callsAsked(gateway, viewer, query))
      const { cost_nanos, provider_cost_nanos, known_revenue_nanos, ...counts } = total
      const is_operator = accountOf(viewer) === undefined
      return {
        ...counts,
        ...money('cost', cost_nanos),
        ...marginOfSum({ provider_cost_nanos, known_revenue_nanos }, is_operator),
      }
    },
    { query: Closed(CALL_FILTERS), response: { 200: SumsView, ...FAILURES } },
  )
}
