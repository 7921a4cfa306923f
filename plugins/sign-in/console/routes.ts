// All routes of signing in at the console.
import { Elysia } from 'elysia'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { confirmingRoutes } from './confirming.ts'
import { invitationRoutes, linkRoutes, passwordRoutes } from './links.ts'
import { sessionRoutes, signInRoutes } from './session.ts'

export const signInConsoleRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-sign-in' })
    .use(signInRoutes(gateway))
    .use(sessionRoutes(gateway))
    .use(confirmingRoutes(gateway))
    .use(linkRoutes(gateway))
    .use(passwordRoutes(gateway))
    .use(invitationRoutes(gateway))
