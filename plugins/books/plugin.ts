// The books as a plugin: the page of the last audit, which the core runs.
import { definePlugin } from '../../src/app/plugin.ts'

export const books = definePlugin({
  name: 'books',
  console_routes: async () => (await import('./console.ts')).bookRoutes,
})
