// Plans as a plugin: months that accounts pay for, whose calls take nothing from their balances.
import { definePlugin } from '../../src/app/plugin.ts'

export const plans = definePlugin({
  name: 'plans',
  tables: async () => (await import('./tables.ts')).tables,
})
