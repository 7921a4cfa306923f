// The System page as a plugin: this machine, its folders and gateways, and the custom plugins; other plugins have parts of the page.
import { definePlugin } from '../../src/app/plugin.ts'

export const system = definePlugin({
  name: 'system',
  console_routes: async () => (await import('./console.ts')).systemRoutes,
})
