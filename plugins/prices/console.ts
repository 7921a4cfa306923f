// JSON routes of prices for the console: margins of a draft, import of a list, changes by per cent, and price groups.
import { Elysia } from 'elysia'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { percentRoutes } from './console/by-percent.ts'
import { priceGroupRoutes } from './console/groups.ts'
import { importRoutes } from './console/import.ts'
import { marginRoutes } from './console/margins.ts'

export const priceRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-prices' })
    .use(marginRoutes(gateway))
    .use(importRoutes(gateway))
    .use(percentRoutes(gateway))
    .use(priceGroupRoutes(gateway))
