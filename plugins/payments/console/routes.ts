// All console routes of payments.
import { Elysia } from 'elysia'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { Payments } from '../payments.ts'
import { planPaymentRoutes } from '../plans/console.ts'
import { automaticRoutes, automaticSettingRoute } from './automatic.ts'
import { cardRoutes } from './card.ts'
import { operatorRoutes, orderRoutes } from './orders.ts'
import { offerRoutes, payingRoutes } from './paying.ts'
import { reportRoutes } from './reports.ts'

export const consoleRoutes = (gateway: Gateway, payments: Payments) =>
  new Elysia({ name: 'console-payments-all' })
    .use(orderRoutes(gateway, payments))
    .use(operatorRoutes(gateway, payments))
    .use(offerRoutes(gateway, payments))
    .use(payingRoutes(gateway, payments))
    .use(cardRoutes(gateway, payments))
    .use(automaticRoutes(gateway, payments))
    .use(automaticSettingRoute(gateway, payments))
    .use(planPaymentRoutes(gateway, payments))
    .use(reportRoutes(gateway, payments))
