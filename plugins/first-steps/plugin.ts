// The first steps as a plugin: the way of an operator and of an account holder to a first call.
import { definePlugin } from '../../src/app/plugin.ts'

export const firstSteps = definePlugin({
  name: 'first-steps',
  console_routes: async () => (await import('./console.ts')).firstStepsRoutes,
})
