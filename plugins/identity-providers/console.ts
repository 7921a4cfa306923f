// The console routes of identity providers.
import { Elysia } from 'elysia'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { ownRoutes } from './console/own.ts'
import { providerRoutes, signInRoutes } from './console/visitors.ts'
import type { ProviderSignIn } from './signing-in.ts'

export const identityConsoleRoutes = (gateway: Gateway, own: ProviderSignIn) =>
  new Elysia({ name: 'console-identity-providers-all' })
    .use(providerRoutes(gateway, own))
    .use(signInRoutes(gateway, own))
    .use(ownRoutes(gateway, own))
