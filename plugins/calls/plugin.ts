// Calls as a plugin: their list, their sums, one call whole, and the live feed of an account.
import { definePlugin } from '../../src/app/plugin.ts'

export const calls = definePlugin({
  name: 'calls',
  routes: async () => (await import('./routes.ts')).callRoutes,
  console_routes: async () => (await import('./console/routes.ts')).consoleRoutes,
})
