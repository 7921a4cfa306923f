// The metrics for Prometheus as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const metrics = definePlugin({
  name: 'metrics',
  routes: async () => (await import('./routes.ts')).metrics,
})
