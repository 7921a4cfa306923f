// The referral plugin: each account has a link, and gets a share of the payments of accounts that signed up by it.
import { definePlugin } from '../../src/app/plugin.ts'
import { referralSettings } from './settings.ts'

export const referral = definePlugin({
  name: 'referral',
  settings: referralSettings,
  tables: async () => (await import('./tables.ts')).tables,
  open: async (gateway, settings) => (await import('./referral.ts')).openReferral(gateway, settings),
  console_routes: async () => (await import('./console.ts')).referralConsoleRoutes,
  commands: { referral: async () => (await import('./command.ts')).addReferralCommands },
  sweeps: [
    {
      name: 'referral shares',
      sweep: async (parts) => (await import('./sharing.ts')).settleShares(parts),
    },
  ],
})
