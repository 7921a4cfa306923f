// All routes of entries and statements at the console.
import { Elysia } from 'elysia'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { entryRoutes, entrySumRoutes } from './entries.ts'
import { statementRoutes } from './statement.ts'

export const consoleRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-entries-all' })
    .use(entryRoutes(gateway))
    .use(entrySumRoutes(gateway))
    .use(statementRoutes(gateway))
