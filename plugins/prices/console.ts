// The JSON routes of prices: the margins of one that is typed, and the import of a list.
import { Elysia } from 'elysia'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { importRoutes } from './console/import.ts'
import { marginRoutes } from './console/margins.ts'

export const priceRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-prices' }).use(marginRoutes(gateway)).use(importRoutes(gateway))
