// Plugin of the library: callers' routes of generated images, the page Library, and the commands `image` and `file`.
import { definePlugin } from '../../src/app/plugin.ts'

export const library = definePlugin({
  name: 'library',
  routes: async () => (await import('./routes.ts')).library,
  commands: {
    image: async () => (await import('./command.ts')).addImageCommands,
    file: async () => (await import('./command.ts')).addFileCommands,
  },
  console_routes: async () => (await import('./console/routes.ts')).consoleRoutes,
})
