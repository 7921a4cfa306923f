// Plugin of accounts: pages, commands, top-ups and debits.
import { definePlugin } from '../../src/app/plugin.ts'

export const accounts = definePlugin({
  name: 'accounts',
  console_routes: async () => (await import('./console/routes.ts')).accountsRoutes,
  commands: {
    account: async () => (await import('./commands/account.ts')).addAccountCommands,
    credit: async () => (await import('./commands/money.ts')).addCreditCommand,
    debit: async () => (await import('./commands/money.ts')).addDebitCommand,
  },
})
