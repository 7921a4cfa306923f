// The alerts plugin: conditions that raise alerts, the webhook and its test, and console routes.
import { definePlugin } from '../../src/app/plugin.ts'
import { alertSettings } from './settings.ts'

export const alerts = definePlugin({
  name: 'alerts',
  settings: alertSettings,
  tables: async () => (await import('./tables.ts')).tables,
  open: async (gateway, settings) => (await import('./alerting.ts')).openAlerting(gateway, settings),
  on: { started: (alerting) => alerting.begin() },
  commands: { alert: async () => (await import('./command.ts')).addAlertCommands },
  console_routes: async () => (await import('./console.ts')).alertRoutes,
  close: (alerting) => alerting.close(),
})
