// The messages surface as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const messages = definePlugin({
  name: 'messages',
  routes: async () => (await import('./routes.ts')).messages,
  reference: async () => (await import('./reference.ts')).reference,
})
