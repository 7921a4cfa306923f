// Entries of balances as a plugin: their list and sums, and the statements of months.
import { definePlugin } from '../../src/app/plugin.ts'

export const entries = definePlugin({
  name: 'entries',
  routes: async () => (await import('./routes.ts')).entryRoutes,
  console_routes: async () => (await import('./console/entries.ts')).consoleRoutes,
  commands: {
    entries: async () => (await import('./command.ts')).addEntriesCommand,
    statement: async () => (await import('./statement-command.ts')).addStatementCommand,
  },
})
