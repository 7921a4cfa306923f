// The surface of generated images as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const library = definePlugin({
  name: 'library',
  routes: async () => (await import('./routes.ts')).library,
})
