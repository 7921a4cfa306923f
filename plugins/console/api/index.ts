// The JSON routes of the console, a subject each, and their types for its pages.
import { Elysia } from 'elysia'
import type { Gateway } from '../../../src/surface/gateway.ts'
import { accountRoutes } from './accounts.ts'
import { files } from './files.ts'
import { images } from './images.ts'
import { invitationRoutes, linkRoutes, passwordRoutes } from './links.ts'
import { play } from './play.ts'
import { sessionRoutes, signInRoutes } from './session.ts'
import { systemRoutes } from './system.ts'
import { usage } from './usage.ts'

/** Each subject says whom it is for: `viewerCalls`, `operatorCalls` or `visitorCalls` (../calls.ts). */
export const consoleApi = (gateway: Gateway) =>
  new Elysia({ name: 'console-api' })
    .use(signInRoutes(gateway))
    .use(sessionRoutes(gateway))
    .use(linkRoutes(gateway))
    .use(passwordRoutes(gateway))
    .use(invitationRoutes(gateway))
    .use(systemRoutes(gateway))
    .use(accountRoutes(gateway))
    .use(play(gateway))
    .use(images(gateway))
    .use(files(gateway))
    .use(usage(gateway))

/** `treaty<ConsoleApi>(location.origin)` of @elysiajs/eden is the pages' client. */
export type ConsoleApi = ReturnType<typeof consoleApi>
