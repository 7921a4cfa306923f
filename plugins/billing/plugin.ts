// The billing surface as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const billing = definePlugin({
  name: 'billing',
  routes: async () => (await import('./routes.ts')).billing,
})
