// All routes of keys at the console.
import { Elysia } from 'elysia'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { keyEndRoutes, keyRoutes } from './keys.ts'

export const keysRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-keys-all' }).use(keyRoutes(gateway)).use(keyEndRoutes(gateway))
