// The catalogue as a plugin: its pages, its history, providers and models, and their commands.
import { definePlugin } from '../../src/app/plugin.ts'

export const catalogue = definePlugin({
  name: 'catalogue',
  console_routes: async () => (await import('./console.ts')).consoleRoutes,
  commands: {
    models: async () => (await import('./commands/models.ts')).addModelsCommand,
    providers: async () => (await import('./commands/providers.ts')).addProvidersCommands,
    config: async () => (await import('./commands/config.ts')).addConfigCommands,
  },
})
