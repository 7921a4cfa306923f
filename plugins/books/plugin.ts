// The books plugin: the command `audit`, the last audit for the page Health check, and the doctor's check of its age.
import { definePlugin } from '../../src/app/plugin.ts'

export const books = definePlugin({
  name: 'books',
  open: async (gateway) => (await import('./books.ts')).openBooks(gateway),
  console_routes: async () => (await import('./console.ts')).bookRoutes,
  commands: { audit: async () => (await import('./command.ts')).addAuditCommand },
  checks: [
    {
      name: 'books',
      when: ['doctor'],
      needs: 'folder',
      look: async (context) => (await import('./check.ts')).checkBooks(context),
    },
  ],
  close: (books) => books.stop(),
})
