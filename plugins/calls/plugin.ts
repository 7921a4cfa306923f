// Calls as a plugin: their list, their sums, and one call whole.
import { definePlugin } from '../../src/app/plugin.ts'

export const calls = definePlugin({
  name: 'calls',
  routes: async () => (await import('./routes.ts')).callRoutes,
  console_routes: async () => (await import('./console/routes.ts')).consoleRoutes,
})
