// Usage as a plugin: the pages Overview and Usage, and the command `usage`.
import { definePlugin } from '../../src/app/plugin.ts'

export const usage = definePlugin({
  name: 'usage',
  console_routes: async () => (await import('./console/overview.ts')).consoleRoutes,
  commands: { usage: async () => (await import('./command.ts')).addUsageCommand },
})
