// The first steps as a plugin: a checklist that leads an operator or an account holder to a first call.
import { definePlugin } from '../../src/app/plugin.ts'

export const firstSteps = definePlugin({
  name: 'first-steps',
  console_routes: async () => (await import('./console.ts')).firstStepsRoutes,
})
