// Plugin of calls: their list, sums, details and refunds.
import { definePlugin } from '../../src/app/plugin.ts'

export const calls = definePlugin({
  name: 'calls',
  routes: async () => (await import('./routes.ts')).callRoutes,
  commands: { refund: async () => (await import('./refunds/command.ts')).addRefundCommand },
  console_routes: async () => (await import('./console/routes.ts')).consoleRoutes,
})
