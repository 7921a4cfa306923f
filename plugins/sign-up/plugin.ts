// Sign-up as a plugin: visitors create an account through a mailed link, within the operator's policy.
import { definePlugin } from '../../src/app/plugin.ts'
import { signUpSettings } from './settings.ts'

export const signUp = definePlugin({
  name: 'sign-up',
  settings: signUpSettings,
  tables: async () => (await import('./tables.ts')).tables,
  open: async (gateway) => (await import('./parts.ts')).openSignUp(gateway),
  console_routes: async () => (await import('./console.ts')).signUpConsoleRoutes,
  commands: { 'sign-up': async () => (await import('./command.ts')).addSignUpCommands },
  sweeps: [
    {
      name: 'sign-ups',
      sweep: async (_, { db, calls }) => (await import('./sweep.ts')).sweepSignUps(db, calls.now()),
    },
    {
      name: 'welcome credits',
      sweep: async ({ welcome }) => (await import('./welcome.ts')).settleWelcomes(welcome),
    },
  ],
  checks: [
    {
      name: 'sign-ups',
      when: ['doctor', 'alert'],
      needs: 'database',
      look: async (context, _, own) => (await import('./check.ts')).checkSignUps(context, own),
      alert: { rule: 'sign_up', every_ms: 5 * 60_000 },
    },
  ],
})
