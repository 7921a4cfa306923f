// Move-ins from other gateways as a plugin: the command, what it remembers, and the calls of before as a list.
import { definePlugin } from '../../src/app/plugin.ts'

export const importing = definePlugin({
  name: 'import',
  tables: async () => (await import('./tables.ts')).tables,
  console_routes: async () => (await import('./history/console.ts')).historyRoutes,
  commands: { import: async () => (await import('./command.ts')).addImportCommand },
})
