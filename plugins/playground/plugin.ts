// Plugin of the playground: a page for trying models, with billed calls, and its routes.
import { definePlugin } from '../../src/app/plugin.ts'

export const playground = definePlugin({
  name: 'playground',
  console_routes: async () => (await import('./console.ts')).playgroundRoutes,
})
