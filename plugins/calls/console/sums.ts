// Sums of the calls that match a filter: their number, failures, cost, and the operator's margin.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type ConsoleParts, FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { USED_SUM_FIELDS, usedSumView } from '../../../src/app/surface/console/sum-views.ts'
import { Closed, Nullable } from '../../../src/http/schema.ts'
import { NO_CALLS } from '../../../src/money/ledger/totals.ts'
import { countRefused, type RefusalFilter } from '../../refusals/index.ts'
import { callTotals } from '../totals.ts'
import { CALL_FILTERS, requestedCalls } from './filter.ts'

const SumsView = Closed({
  ...USED_SUM_FIELDS,
  refused: Nullable(
    Type.Integer({
      description:
        'requests that were refused, which are no calls; null by model or status, which are not counted',
    }),
  ),
})

/** High, because filters that the kept sums do not support read all calls. */
const COUNTS_AS = 50

/** `GET /console/api/call-sums`, with the filters of the list of calls. */
export function callSumRoutes(gateway: ConsoleParts) {
  return new Elysia({ name: 'console-call-sums' }).use(viewerCalls(gateway, { counts_as: COUNTS_AS })).get(
    '/console/api/call-sums',
    async ({ viewer, query }) => {
      const { calls, refusals } = await requestedCalls(gateway, viewer, query)
      const total = calls ? await callTotals(gateway.db, calls) : NO_CALLS
      return {
        ...usedSumView(total, viewer.side === 'operator'),
        refused: refusals ? await refusedOf(gateway, refusals) : 0,
      }
    },
    { query: Closed(CALL_FILTERS), response: { 200: SumsView, ...FAILURES } },
  )
}

async function refusedOf(
  { db }: Pick<ConsoleParts, 'db'>,
  { model, status, since_ms = 0, until_ms = Number.MAX_SAFE_INTEGER, ...owner }: RefusalFilter,
): Promise<number | null> {
  if (model !== undefined || status !== undefined) return null
  return countRefused(db, { ...owner, span: 'hour', from_ms: since_ms, until_ms })
}
