// The images surface as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const images = definePlugin({
  name: 'images',
  routes: async () => (await import('./routes.ts')).images,
  reference: async () => (await import('./reference.ts')).reference,
})
