// The native generation surface as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const native = definePlugin({
  name: 'native',
  routes: async () => (await import('./routes.ts')).native,
})
