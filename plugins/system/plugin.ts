// The plugin of the System page: this machine, its folders and gateways, and sections of other plugins.
import { definePlugin } from '../../src/app/plugin.ts'

export const system = definePlugin({
  name: 'system',
  console_routes: async () => (await import('./console.ts')).systemRoutes,
})
