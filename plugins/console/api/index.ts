// The JSON routes of the console, a subject each, and their types for its pages.
import { Elysia } from 'elysia'
import type { Gateway } from '../../../src/surface/gateway.ts'
import { invitationRoutes, linkRoutes, passwordRoutes } from './links.ts'
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
    .use(systemRoutes(gateway))

/** `treaty<ConsoleApi>(location.origin)` of @elysiajs/eden is the pages' client. */
export type ConsoleApi = ReturnType<typeof consoleApi>
