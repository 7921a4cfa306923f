// All routes of the pages Overview and Usage.
import { Elysia } from 'elysia'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { overviewRoutes } from './overview.ts'
import { usage } from './usage.ts'

export const consoleRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-usage-all' }).use(usage(gateway)).use(overviewRoutes(gateway))
