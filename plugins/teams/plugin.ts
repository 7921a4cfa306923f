// Teams as a plugin: the people of an account, invitations, and switching between accounts.
import { definePlugin } from '../../src/app/plugin.ts'

export const teams = definePlugin({
  name: 'teams',
  console_routes: async () => (await import('./console/routes.ts')).teamRoutes,
  commands: { account: async () => (await import('./command.ts')).addTeamCommands },
})
