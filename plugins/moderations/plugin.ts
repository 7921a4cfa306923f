// The moderations surface as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const moderations = definePlugin({
  name: 'moderations',
  routes: async () => (await import('./routes.ts')).moderations,
  reference: async () => (await import('./reference.ts')).reference,
})
