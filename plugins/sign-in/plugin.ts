// Sign-in to the console as a plugin: sessions, passwords, and the links that set them.
import { definePlugin } from '../../src/app/plugin.ts'

export const signIn = definePlugin({
  name: 'sign-in',
  open: async (gateway) => (await import('./open.ts')).openSignIn(gateway),
  console_routes: async () => (await import('./console/routes.ts')).signInConsoleRoutes,
  commands: {
    console: async () => (await import('./command.ts')).addConsoleCommands,
    account: async () => (await import('./command.ts')).addInvite,
    session: async () => (await import('./session-command.ts')).addSessionCommands,
  },
})
