// All routes of accounts at the console.
import { Elysia } from 'elysia'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { accountRoutes, accountStatusRoutes } from './accounts.ts'
import { accountMoneyRoutes } from './money.ts'

export const accountsRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-accounts-all' })
    .use(accountRoutes(gateway))
    .use(accountStatusRoutes(gateway))
    .use(accountMoneyRoutes(gateway))
