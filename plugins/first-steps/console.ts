// The first steps at the console: routes for the operator, and for viewers with an account.
import { Elysia } from 'elysia'
import {
  type ConsoleParts,
  FAILURES,
  operatorCalls,
  viewerCalls,
} from '../../src/app/surface/console/calls.ts'
import { requireKey } from '../../src/app/surface/console/references.ts'
import { makeKey, setupView } from './setup.ts'
import { AccountBody, KeyMade, SetupView } from './setup-views.ts'
import { FirstCallQuery, FirstCallView, firstCallView, StartView, startView } from './start.ts'

/** `/console/api/setup`, `/console/api/start` and `/console/api/first-call`. */
export const firstStepsRoutes = (gateway: ConsoleParts) =>
  new Elysia({ name: 'console-first-steps' }).use(operatorRoutes(gateway)).use(viewerRoutes(gateway))

const operatorRoutes = (gateway: ConsoleParts) =>
  new Elysia({ name: 'console-first-steps: operator' })
    .use(operatorCalls(gateway))
    .get('/console/api/setup', () => setupView(gateway), { response: { 200: SetupView, ...FAILURES } })
    .post(
      '/console/api/setup/account',
      ({ viewer, origin, body }) => makeKey(gateway, { viewer, origin }, body),
      { body: AccountBody, response: { 200: KeyMade, ...FAILURES } },
    )

const viewerRoutes = (gateway: ConsoleParts) =>
  new Elysia({ name: 'console-first-steps: viewers' })
    .use(viewerCalls(gateway))
    .get('/console/api/start', ({ viewer }) => startView(gateway, viewer), {
      response: { 200: StartView, ...FAILURES },
    })
    .get(
      '/console/api/first-call',
      async ({ viewer, query }) => firstCallView(gateway, await requireKey(gateway, viewer, query.key_id)),
      { query: FirstCallQuery, response: { 200: FirstCallView, ...FAILURES } },
    )
