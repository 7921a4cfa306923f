// All routes of calls at the console.
import { Elysia } from 'elysia'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { callRoute } from './call.ts'
import { callRoutes } from './calls.ts'
import { callFilterRoutes } from './filter-choices.ts'
import { callSumRoutes } from './sums.ts'

export const consoleRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-calls-all' })
    .use(callRoutes(gateway))
    .use(callFilterRoutes(gateway))
    .use(callSumRoutes(gateway))
    .use(callRoute(gateway))
