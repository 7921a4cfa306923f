// The rerank surface as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const rerank = definePlugin({
  name: 'rerank',
  routes: async () => (await import('./routes.ts')).rerank,
  reference: async () => (await import('./reference.ts')).reference,
})
