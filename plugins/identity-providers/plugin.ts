// Identity providers as a plugin: sign-in by Google, Microsoft, Keycloak, GitHub and others, and the identities of each person.
import { definePlugin } from '../../src/app/plugin.ts'
import { signInSettings } from './settings.ts'

export const identityProviders = definePlugin({
  name: 'identity-providers',
  settings: signInSettings,
  tables: async () => (await import('./tables.ts')).tables,
  open: async (gateway, settings) => (await import('./open.ts')).openIdentityProviders(gateway, settings),
  routes: async () => (await import('./routes.ts')).logoutRoutes,
  console_routes: async () => (await import('./console.ts')).identityConsoleRoutes,
  commands: { identity: async () => (await import('./command.ts')).addIdentityCommands },
  sweeps: [
    {
      name: 'used tokens of identity providers',
      sweep: async (_, { db, calls }) => (await import('./spent.ts')).sweepSpent(db, calls.now()),
    },
  ],
  checks: [
    {
      name: 'identity-providers',
      when: ['doctor'],
      needs: 'catalogue',
      look: async (context) => (await import('./check.ts')).checkProviders(context),
    },
  ],
})
