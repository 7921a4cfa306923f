// The audit log as a plugin: its lists for the console and the command line. Each change writes its own line (src/store/actions.ts).
import { definePlugin } from '../../src/app/plugin.ts'

export const auditLog = definePlugin({
  name: 'audit-log',
  console_routes: async () => (await import('./console.ts')).auditLogRoutes,
  commands: { 'audit-log': async () => (await import('./command.ts')).addAuditLogCommand },
  sweeps: [
    {
      name: 'audit log',
      sweep: async (_, { db }) => (await import('../../src/store/actions.ts')).sweepActions(db),
    },
  ],
})
