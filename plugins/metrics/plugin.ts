// The plugin for Prometheus metrics and OpenTelemetry spans of settled calls. Both are off unless configured.
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
