// The embeddings surface as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const embeddings = definePlugin({
  name: 'embeddings',
  routes: async () => (await import('./routes.ts')).embeddings,
  reference: async () => (await import('./reference.ts')).reference,
})
