// Prices as a plugin: their markup, their margins in forms, and public price lists put into the catalogue by a command or in the console.
import { definePlugin } from '../../src/app/plugin.ts'
import { priceSettings } from './settings.ts'

export const prices = definePlugin({
  name: 'prices',
  settings: priceSettings,
  console_routes: async () => (await import('./console.ts')).priceRoutes,
  commands: { prices: async () => (await import('./commands/prices.ts')).addPricesCommands },
})
