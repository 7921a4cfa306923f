// The audio surface as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const audio = definePlugin({
  name: 'audio',
  routes: async () => (await import('./routes.ts')).audio,
  reference: async () => (await import('./reference.ts')).reference,
})
