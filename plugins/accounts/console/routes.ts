// Console routes of accounts.
import { Elysia } from 'elysia'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { accountClosingRoutes, accountRoutes, accountStatusRoutes } from './accounts.ts'
import { accountCreditRoute, accountDebitRoute } from './money.ts'

export const accountsRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-accounts-all' })
    .use(accountRoutes(gateway))
    .use(accountStatusRoutes(gateway))
    .use(accountClosingRoutes(gateway))
    .use(accountCreditRoute(gateway))
    .use(accountDebitRoute(gateway))
