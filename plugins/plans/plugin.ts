// The plans plugin: paid months whose covered calls cost nothing from the balance.
import { definePlugin } from '../../src/app/plugin.ts'
import { planSettings } from './settings.ts'

export const plans = definePlugin({
  name: 'plans',
  settings: planSettings,
  tables: async () => (await import('./tables.ts')).tables,
  open: async (gateway, settings) => (await import('./plans.ts')).openPlans(gateway, settings),
  on: {
    settled: ({ covered }, { call: { plan_period_id }, operation }) => {
      if (plan_period_id !== null && operation.op === 'post')
        covered.add(plan_period_id, operation.cost_nanos)
    },
  },
  console_routes: async () => (await import('./console.ts')).planConsoleRoutes,
  commands: { plan: async () => (await import('./command.ts')).addPlanCommands },
  sweeps: [
    {
      name: 'plans',
      sweep: async (_, gateway) => (await import('./sweep.ts')).sweepPlans(gateway),
    },
  ],
})
