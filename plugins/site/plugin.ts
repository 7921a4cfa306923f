// The public side of the service as a plugin: the brand, the public pages, and incidents.
import { definePlugin } from '../../src/app/plugin.ts'
import { siteSettings } from './settings.ts'

export const site = definePlugin({
  name: 'site',
  settings: siteSettings,
  tables: async () => (await import('./tables.ts')).tables,
  routes: async () => (await import('./routes.ts')).siteRoutes,
  console_routes: async () => (await import('./incidents/console.ts')).incidentRoutes,
  commands: { incident: async () => (await import('./incidents/command.ts')).addIncidentCommands },
  checks: [
    {
      name: 'brand',
      when: ['doctor'],
      needs: 'catalogue',
      look: async (context) => (await import('./brand-check.ts')).checkBrandFiles(context),
    },
  ],
})
