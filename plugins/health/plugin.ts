// The health surface as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const health = definePlugin({
  name: 'health',
  routes: async () => (await import('./routes.ts')).health,
})
