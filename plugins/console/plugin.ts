// The console as a plugin: its pages, and the search.
import { definePlugin } from '../../src/app/plugin.ts'

export const consolePages = definePlugin({
  name: 'console',
  routes: async () => (await import('./routes.ts')).consolePages,
  console_routes: async () => (await import('./search.ts')).searchRoutes,
})
