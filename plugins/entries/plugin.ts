// The entries plugin: list and sums of balance entries, and monthly statements.
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
