// The console: its pages, and the JSON routes that they ask.
import { Elysia } from 'elysia'
import type { Gateway } from '../../src/surface/gateway.ts'
import { consoleApi } from './api/index.ts'
import { pageRoutes } from './pages.ts'

/** `/console` for browsers, and `/console/api/…` for its pages. README.md in this folder is its map. */
export const consolePages = (gateway: Gateway) =>
  new Elysia({ name: 'console' }).use(consoleApi(gateway)).use(pageRoutes(gateway))
