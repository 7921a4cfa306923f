// The legacy completions surface as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const completions = definePlugin({
  name: 'completions',
  routes: async () => (await import('./routes.ts')).completions,
  reference: async () => (await import('./reference.ts')).reference,
})
