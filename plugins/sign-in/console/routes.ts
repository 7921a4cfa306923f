// The console routes of sign-in.
import { Elysia } from 'elysia'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { confirmingRoutes } from './confirming.ts'
import { invitationRoutes, linkRoutes, passwordRoutes } from './links.ts'
import { mailedLinkRoutes } from './mailed-links.ts'
import { meRoutes } from './me.ts'
import { sessionRoutes, signInRoutes } from './session.ts'

export const signInConsoleRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-sign-in' })
    .use(signInRoutes(gateway))
    .use(sessionRoutes(gateway))
    .use(confirmingRoutes(gateway))
    .use(linkRoutes(gateway))
    .use(mailedLinkRoutes(gateway))
    .use(passwordRoutes(gateway))
    .use(meRoutes(gateway))
    .use(invitationRoutes(gateway))
