// Failed calls of an account, a key, a model or a provider in a range: their number, all calls, and the most frequent causes.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Viewer } from '../../../src/access/viewer.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { FAILED_OUTCOMES } from '../../../src/domain/outcomes.ts'
import { FIGURE_RANGES, REPORT_RANGES } from '../../../src/domain/ranges.ts'
import { PERIOD_PARAMETERS } from '../../../src/http/period.ts'
import { Closed, OneOf } from '../../../src/http/schema.ts'
import { TimeFields, time } from '../../../src/http/views.ts'
import { timeIn } from '../../refusals/index.ts'
import { CAUSES, causeOf, type FailureCause } from '../causes.ts'
import { listCallsInTurns, type RecordedCall } from '../listing.ts'
import { callTotals } from '../totals.ts'
import { CALL_FILTERS, requestedCalls } from './filter.ts'

const MAX_CAUSES = 3
/** Causes are counted for the newest failed calls only; reading them takes about 5 ms. */
const MAX_CALLS_WITH_CAUSES = 200

const { account, key, model, provider } = CALL_FILTERS
const FailedQuery = Closed({
  range: Type.Optional(OneOf([...FIGURE_RANGES, ...REPORT_RANGES])),
  account,
  key,
  model,
  provider,
  ...PERIOD_PARAMETERS,
})
const FailedView = Closed({
  calls: Type.Integer(),
  failed: Type.Integer({ description: 'of these, without an answer or interrupted' }),
  ...TimeFields('from'),
  causes: Type.Array(Closed({ cause: OneOf(CAUSES), calls: Type.Integer() }), {
    description: `the ${MAX_CAUSES} most frequent ones of the newest ${MAX_CALLS_WITH_CAUSES} failed calls`,
  }),
})

/** Higher than 1, because a filter by provider reads all calls. */
const COUNTS_AS = 10

/** `GET /console/api/failed-calls` */
export const failedRoutes = (gateway: ConsoleParts) =>
  new Elysia({ name: 'console-failed-calls' })
    .use(viewerCalls(gateway, { counts_as: COUNTS_AS }))
    .get('/console/api/failed-calls', ({ viewer, query }) => failedView(gateway, viewer, query), {
      query: FailedQuery,
      response: { 200: FailedView, ...FAILURES },
    })

async function failedView(
  gateway: ConsoleParts,
  viewer: Viewer,
  { range = 'week', zone, since, until, ...query }: Static<typeof FailedQuery>,
): Promise<Static<typeof FailedView>> {
  const { from_ms, until_ms } = timeIn(range, { since, until, zone }, gateway.calls.now())
  const { calls: filter } = await requestedCalls(gateway, viewer, { ...query, outcome: 'call' })
  const requested = { ...filter, since_ms: from_ms, until_ms }
  const { calls, failed } = await callTotals(gateway.db, requested)
  const newest = { ...requested, outcomes: FAILED_OUTCOMES }
  const { rows } =
    failed === 0 ? { rows: [] } : await listCallsInTurns(gateway.db, newest, { limit: MAX_CALLS_WITH_CAUSES })
  return { calls, failed, ...time('from', from_ms), causes: causesIn(rows, viewer.side === 'operator') }
}

function causesIn(failed: readonly RecordedCall[], sees_providers: boolean) {
  const counts = new Map<FailureCause, number>()
  for (const call of failed) {
    const cause = causeOf(call, sees_providers)
    if (cause) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  }
  return [...counts]
    .map(([cause, calls]) => ({ cause, calls }))
    .sort((one, other) => other.calls - one.calls)
    .slice(0, MAX_CAUSES)
}
