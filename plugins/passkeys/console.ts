// The console routes of passkeys.
import { Elysia } from 'elysia'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { confirmRoutes } from './confirm-routes.ts'
import { addingRoutes, ownPasskeyRoutes } from './own-routes.ts'
import { signingRoutes } from './signing-routes.ts'

export const passkeyConsoleRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-passkeys' })
    .use(signingRoutes(gateway))
    .use(addingRoutes(gateway))
    .use(ownPasskeyRoutes(gateway))
    .use(confirmRoutes(gateway))
