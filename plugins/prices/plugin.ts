// Prices as a plugin: public price lists put into the catalogue by a command.
import { definePlugin } from '../../src/app/plugin.ts'

export const prices = definePlugin({
  name: 'prices',
  commands: { prices: async () => (await import('./commands/prices.ts')).addPricesCommands },
})
