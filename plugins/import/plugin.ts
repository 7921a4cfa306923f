// Import from other gateways as a plugin: the command, the table of imported rows, and the list of earlier calls.
import { definePlugin } from '../../src/app/plugin.ts'

export const importing = definePlugin({
  name: 'import',
  tables: async () => (await import('./tables.ts')).tables,
  console_routes: async () => (await import('./history/console.ts')).historyRoutes,
  commands: { import: async () => (await import('./command.ts')).addImportCommand },
})
