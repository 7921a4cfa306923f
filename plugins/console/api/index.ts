// The JSON routes of the console, a subject each, and their types for its pages.
import { Elysia } from 'elysia'
import type { Gateway } from '../../../src/surface/gateway.ts'
import { accountMoneyRoutes } from './account-money.ts'
import { accountRoutes, accountStatusRoutes } from './accounts.ts'
import { bookRoutes } from './books.ts'
import { callRoute } from './call.ts'
import { callFilterRoutes } from './call-filters.ts'
import { callRoutes } from './calls.ts'
import { entryRoutes } from './entries.ts'
import { keyEndRoutes, keyRoutes } from './keys.ts'
import { invitationRoutes, linkRoutes, passwordRoutes } from './links.ts'
import { liveRoutes } from './live.ts'
import { overviewRoutes } from './overview.ts'
import { searchRoutes } from './search.ts'
import { sessionRoutes, signInRoutes } from './session.ts'
import { systemRoutes } from './system.ts'

/** Each subject says whom it is for: `viewerCalls`, `operatorCalls` or `visitorCalls` (../calls.ts). */
export const consoleApi = (gateway: Gateway) =>
  new Elysia({ name: 'console-api' })
    .use(signInRoutes(gateway))
    .use(sessionRoutes(gateway))
    .use(linkRoutes(gateway))
    .use(passwordRoutes(gateway))
    .use(invitationRoutes(gateway))
    .use(accountRoutes(gateway))
    .use(accountStatusRoutes(gateway))
    .use(accountMoneyRoutes(gateway))
    .use(keyRoutes(gateway))
    .use(keyEndRoutes(gateway))
    .use(entryRoutes(gateway))
    .use(bookRoutes(gateway))
    .use(searchRoutes(gateway))
    .use(systemRoutes(gateway))
    .use(overviewRoutes(gateway))
    .use(liveRoutes(gateway))
    .use(callRoutes(gateway))
    .use(callFilterRoutes(gateway))
    .use(callRoute(gateway))

/** `treaty<ConsoleApi>(location.origin)` of @elysiajs/eden is the pages' client. */
export type ConsoleApi = ReturnType<typeof consoleApi>
