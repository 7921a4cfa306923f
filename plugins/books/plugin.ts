// The books as a plugin: the command `audit`, and the last audit for the page Health check.
import { definePlugin } from '../../src/app/plugin.ts'

export const books = definePlugin({
  name: 'books',
  open: async (gateway) => (await import('./books.ts')).openBooks(gateway),
  console_routes: async () => (await import('./console.ts')).bookRoutes,
  commands: { audit: async () => (await import('./command.ts')).addAuditCommand },
  close: (books) => books.stop(),
})
