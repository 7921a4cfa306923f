// The library as a plugin: the surface of generated images, and the page Library.
import { definePlugin } from '../../src/app/plugin.ts'

export const library = definePlugin({
  name: 'library',
  routes: async () => (await import('./routes.ts')).library,
  console_routes: async () => (await import('./console/routes.ts')).consoleRoutes,
})
