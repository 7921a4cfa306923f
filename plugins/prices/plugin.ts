// Prices as a plugin: the markup, margins in forms, imports of price lists by command and console, and price groups.
import { definePlugin } from '../../src/app/plugin.ts'
import { priceSettings } from './settings.ts'

export const prices = definePlugin({
  name: 'prices',
  settings: priceSettings,
  console_routes: async () => (await import('./console.ts')).priceRoutes,
  checks: [
    {
      name: 'price groups',
      when: ['doctor'],
      needs: 'catalogue',
      look: async (context) => (await import('./groups/check.ts')).checkPriceGroups(context),
    },
  ],
  commands: { prices: async () => (await import('./commands/prices.ts')).addPricesCommands },
})
