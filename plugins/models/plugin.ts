// The models surface as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const models = definePlugin({
  name: 'models',
  routes: async () => (await import('./routes.ts')).models,
})
