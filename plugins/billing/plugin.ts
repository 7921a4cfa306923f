// The billing plugin: the API route of the caller's account.
import { definePlugin } from '../../src/app/plugin.ts'

export const billing = definePlugin({
  name: 'billing',
  routes: async () => (await import('./routes.ts')).billing,
})
