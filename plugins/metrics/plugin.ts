// Metrics for Prometheus and spans for a collector of OpenTelemetry as a plugin: it counts settled calls, where the catalogue wants it.
import { definePlugin } from '../../src/app/plugin.ts'

export const metrics = definePlugin({
  name: 'metrics',
  open: async (gateway) => (await import('./observing.ts')).openObserving(gateway),
  routes: async () => (await import('./routes.ts')).metrics,
  close: (observing) => observing.close(),
})
