// Plugin of usage: the page Overview with its report, and the command `usage`.
import { definePlugin } from '../../src/app/plugin.ts'

export const usage = definePlugin({
  name: 'usage',
  console_routes: async () => (await import('./console/overview.ts')).consoleRoutes,
  commands: { usage: async () => (await import('./command.ts')).addUsageCommand },
})
