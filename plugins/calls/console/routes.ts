// Console routes of calls: the list with its filters, sums and file, one call, and refunds.
import { Elysia } from 'elysia'
import { FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { CsvFile } from '../../../src/app/surface/console/list-csv.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { Closed } from '../../../src/http/schema.ts'
import { refundRoutes } from '../refunds/console.ts'
import { CallParams, callView } from './call.ts'
import { CallView } from './call-views.ts'
import { CallsQuery, CallsView, callsPage } from './calls.ts'
import { failedRoutes } from './failed.ts'
import { callsFile } from './file.ts'
import { CALL_FILTERS, requestedCalls } from './filter.ts'
import { FiltersQuery, FiltersView, filtersView } from './filter-choices.ts'
import { callSumRoutes } from './sums.ts'

export const consoleRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-calls-all' })
    .use(callRoutes(gateway))
    .use(callSumRoutes(gateway))
    .use(failedRoutes(gateway))
    .use(refundRoutes(gateway))

const callRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-calls' })
    .use(viewerCalls(gateway))
    .get('/console/api/calls', ({ viewer, query }) => callsPage(gateway, viewer, query), {
      query: CallsQuery,
      response: { 200: CallsView, ...FAILURES },
    })
    .get(
      '/console/api/calls.csv',
      async ({ viewer, query }) =>
        callsFile(gateway, viewer, await requestedCalls(gateway, viewer, query), query.zone),
      { query: Closed(CALL_FILTERS), response: { 200: CsvFile, ...FAILURES } },
    )
    .get('/console/api/call-filters', ({ viewer, query }) => filtersView(gateway, viewer, query.account), {
      query: FiltersQuery,
      response: { 200: FiltersView, ...FAILURES },
    })
    .get(
      '/console/api/calls/:request_id',
      ({ viewer, params }) => callView(gateway.db, viewer, params.request_id),
      { params: CallParams, response: { 200: CallView, ...FAILURES } },
    )
