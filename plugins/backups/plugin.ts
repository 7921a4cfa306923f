// The backups plugin: archives of all data by schedule, on request and by command, and their restore.
import { definePlugin } from '../../src/app/plugin.ts'
import { drillWork } from './restoring/drill-work.ts'
import { backup_section } from './settings.ts'

export const backups = definePlugin({
  name: 'backups',
  settings: backup_section,
  leftovers: () => [drillWork()],
  open: async (gateway, settings) => (await import('./running/backups.ts')).openBackups(gateway, settings),
  on: { started: (backups) => backups.watch() },
  console_routes: async () => (await import('./console.ts')).backupRoutes,
  commands: {
    backup: async () => (await import('./commands/backup.ts')).addBackupCommand,
    restore: async () => (await import('./commands/restore.ts')).addRestoreCommand,
  },
  checks: [
    {
      name: 'older states',
      when: ['doctor'],
      needs: 'folder',
      look: async (context) => (await import('./check.ts')).checkPutAside(context),
    },
    {
      name: 'backups',
      when: ['doctor', 'alert'],
      needs: 'catalogue',
      look: async (context, time) => (await import('./check.ts')).checkBackups(context, time),
      alert: { rule: 'backup', title: 'Backups', every_ms: 15 * 60_000 },
    },
  ],
  close: (backups) => backups.stop(),
})
