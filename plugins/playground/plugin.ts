// The playground as a plugin: a page that tries models at the price of a call, and its routes.
import { definePlugin } from '../../src/app/plugin.ts'

export const playground = definePlugin({
  name: 'playground',
  console_routes: async () => (await import('./console.ts')).playgroundRoutes,
})
