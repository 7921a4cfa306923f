// Metrics for Prometheus and spans for a collector of OpenTelemetry as a plugin: it counts settled calls, where the catalogue wants it.
import { definePlugin } from '../../src/app/plugin.ts'
import { metrics_section, telemetry_section } from './settings.ts'

export const metrics = definePlugin({
  name: 'metrics',
  settings: [metrics_section, telemetry_section],
  async prepare({ listen }, settings) {
    const own = settings().listen
    if (own !== undefined) (await import('./metrics-listener.ts')).refuseMetricsAddress(own, listen)
  },
  open: async (gateway) => (await import('./observing.ts')).openObserving(gateway),
  routes: async () => (await import('./routes.ts')).metrics,
  close: (observing) => observing.close(),
})
