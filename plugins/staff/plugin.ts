// The staff as a plugin: operators, support and auditors, and the amount that support may credit.
import { definePlugin } from '../../src/app/plugin.ts'
import { staffSettings } from './settings.ts'

export const staff = definePlugin({
  name: 'staff',
  settings: staffSettings,
  console_routes: async () => (await import('./console.ts')).staffRoutes,
  commands: { staff: async () => (await import('./command.ts')).addStaffCommands },
})
