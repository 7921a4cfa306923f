// Refunds as a plugin: what a call was charged is given back, from its page, from a list of calls and by a command.
import { definePlugin } from '../../src/app/plugin.ts'

export const refunds = definePlugin({
  name: 'refunds',
  console_routes: async () => (await import('./console.ts')).consoleRoutes,
  commands: { refund: async () => (await import('./command.ts')).addRefundCommand },
})
