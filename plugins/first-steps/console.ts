// Console routes of the first steps: the state of the checklist, and the first call of a key.
import { Elysia } from 'elysia'
import { type ConsoleParts, FAILURES, viewerCalls } from '../../src/app/surface/console/calls.ts'
import { requireKey } from '../../src/app/surface/console/references.ts'
import { FirstCallQuery, FirstCallView, firstCallView } from './first-call.ts'
import { StartQuery, StartView, startView } from './start.ts'

/** `/console/api/start` and `/console/api/first-call`. */
export const firstStepsRoutes = (gateway: ConsoleParts) =>
  new Elysia({ name: 'console-first-steps' })
    .use(viewerCalls(gateway))
    .get('/console/api/start', ({ viewer, query }) => startView(gateway, viewer, query.account), {
      query: StartQuery,
      response: { 200: StartView, ...FAILURES },
    })
    .get(
      '/console/api/first-call',
      async ({ viewer, query }) => firstCallView(gateway, await requireKey(gateway, viewer, query.key_id)),
      { query: FirstCallQuery, response: { 200: FirstCallView, ...FAILURES } },
    )
