// Plugin of keys: pages and commands.
import { definePlugin } from '../../src/app/plugin.ts'

export const keys = definePlugin({
  name: 'keys',
  console_routes: async () => (await import('./console/keys.ts')).keysRoutes,
  commands: { key: async () => (await import('./commands/key.ts')).addKeyCommands },
})
