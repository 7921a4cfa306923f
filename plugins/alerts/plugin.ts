// Alerts as a plugin: conditions that raise them, their webhook, and their routes for the console.
import { definePlugin } from '../../src/app/plugin.ts'
import { alertSettings } from './settings.ts'

export const alerts = definePlugin({
  name: 'alerts',
  settings: alertSettings,
  tables: async () => (await import('./tables.ts')).tables,
  open: async (gateway, settings) => (await import('./alerting.ts')).openAlerting(gateway, settings),
  on: { started: (alerting) => alerting.begin() },
  console_routes: async () => (await import('./console.ts')).alertRoutes,
  close: (alerting) => alerting.close(),
})
