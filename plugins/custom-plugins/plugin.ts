// The plugin that runs custom plugins: the files of data/plugins/ with their hooks, routes, events, sweeps, checks and commands.
import { definePlugin } from '../../src/app/plugin.ts'
import { pluginSettings } from './settings.ts'

export const ownPlugins = definePlugin({
  name: 'own-plugins',
  settings: pluginSettings,
  prepare: async (start) => (await import('./own-plugins.ts')).prepareOwnPlugins(start),
  open: async (gateway, _, prepared) => new (await import('./own-plugins.ts')).OwnPlugins(gateway, prepared),
  on: {
    started: (own) => own.raise('started', undefined),
    settled: (own, call) => own.settled(call),
    refused: (own, request) => own.refused(request),
    stopping: (own) => own.raise('stopping', undefined),
  },
  routes: async () => (_, own) => own.routes(),
  console_routes: async () => (await import('./console.ts')).pluginRoutes,
  commands: {
    plugin: async () => (await import('./command.ts')).addPluginCommands,
    x: async () => (await import('./own-command.ts')).addOwnCommand,
  },
  sweeps: [{ name: 'custom plugins', sweep: (own) => own.sweep() }],
  checks: [
    {
      name: 'plugins',
      when: ['doctor'],
      needs: 'folder',
      look: async (context) => (await import('./check.ts')).checkPlugins(context),
    },
    {
      name: 'checks of plugins',
      when: ['alert', 'ready'],
      needs: 'folder',
      look: async (_, time, own) => (await own?.look(time)) ?? [],
      alert: { rule: 'plugin', each: true },
    },
  ],
  close: (own) => own.close(),
})
