// Health as a plugin: of the process for load balancers, and of models, providers and routes by their last calls.
import { definePlugin } from '../../src/app/plugin.ts'

export const health = definePlugin({
  name: 'health',
  open: async (gateway) => (await import('./route-health.ts')).openRouteHealth(gateway),
  on: { settled: (sums, { operation }) => sums.add(operation.call) },
  routes: async () => (await import('./routes.ts')).health,
  close: (sums) => sums.close(),
})
