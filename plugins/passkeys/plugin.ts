// Passkeys as a plugin: people sign in with their device instead of a password.
import { definePlugin } from '../../src/app/plugin.ts'

export const passkeys = definePlugin({
  name: 'passkeys',
  tables: async () => (await import('./tables.ts')).tables,
  open: async (gateway) => (await import('./open.ts')).openPasskeys(gateway),
  console_routes: async () => (await import('./console.ts')).passkeyConsoleRoutes,
  commands: { passkey: async () => (await import('./command.ts')).addPasskeyCommands },
  sweeps: [
    {
      name: 'challenges of passkeys',
      sweep: async (_, { db, calls }) => (await import('./challenges.ts')).sweepChallenges(db, calls.now()),
    },
  ],
})
