// Calls as a plugin: their list, their sums, one call whole, and refunds of them.
import { definePlugin } from '../../src/app/plugin.ts'

export const calls = definePlugin({
  name: 'calls',
  routes: async () => (await import('./routes.ts')).callRoutes,
  commands: { refund: async () => (await import('./refunds/command.ts')).addRefundCommand },
  console_routes: async () => (await import('./console/routes.ts')).consoleRoutes,
})
