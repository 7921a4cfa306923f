// Plugin of health: of the process, for load balancers, and of models, providers and routes, by their last answers.
import { definePlugin } from '../../src/app/plugin.ts'

export const health = definePlugin({
  name: 'health',
  tables: async () => (await import('./tables.ts')).tables,
  open: async (gateway) => (await import('./open-health.ts')).openHealth(gateway),
  on: { settled: (own, { call, operation }) => own.add(operation.call, call.attempt) },
  routes: async () => (await import('./routes.ts')).health,
  console_routes: async () => (await import('./console.ts')).healthRoutes,
  checks: [
    {
      name: 'routes',
      when: ['doctor'],
      needs: 'catalogue',
      look: async (context) => (await import('./check.ts')).checkRoutes(context),
    },
  ],
  close: (own) => own.close(),
})
