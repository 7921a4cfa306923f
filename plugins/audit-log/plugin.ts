// The audit log as a plugin: who changed what, for the console and the command line. Its lines are written with what they tell (src/db/actions.ts).
import { definePlugin } from '../../src/app/plugin.ts'

export const auditLog = definePlugin({
  name: 'audit-log',
  open: ({ db }) => ({ db }),
  console: async () => (await import('./console.ts')).auditLogRoutes,
  commands: { 'audit-log': async () => (await import('./command.ts')).addAuditLogCommand },
  sweeps: [
    {
      name: 'audit log',
      sweep: async ({ db }) => (await import('../../src/db/actions.ts')).sweepActions(db),
    },
  ],
})
