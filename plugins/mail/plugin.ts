// Mail as a plugin: a queue for all plugins, sent through the operator's mail server; notices to accounts; lists, checks and a test.
import { definePlugin } from '../../src/app/plugin.ts'
import { mailSettings } from './settings.ts'

export const mail = definePlugin({
  name: 'mail',
  settings: mailSettings,
  tables: async () => (await import('./tables.ts')).tables,
  open: async (gateway) => (await import('./mailing.ts')).openMailing(gateway),
  on: {
    started: (mailing) => mailing.begin(),
    stopping: (mailing) => mailing.end(),
  },
  routes: async () => (await import('./unsubscribe.ts')).unsubscribeRoutes,
  console_routes: async () => (await import('./console.ts')).mailConsoleRoutes,
  commands: { mail: async () => (await import('./command.ts')).addMailCommands },
  sweeps: [
    {
      name: 'mails',
      sweep: async (_, { db, calls }) => (await import('./store.ts')).sweepMails(db, calls.now()),
    },
  ],
  checks: [
    {
      name: 'mail',
      when: ['doctor'],
      needs: 'catalogue',
      look: async (context) => (await import('./check.ts')).checkMailServer(context),
    },
    {
      name: 'mails',
      when: ['doctor', 'alert'],
      needs: 'database',
      look: async (context, time) => (await import('./check.ts')).checkMails(context, time),
      alert: { rule: 'mail', every_ms: 5 * 60_000 },
    },
  ],
  close: (mailing) => mailing.close(),
})
