// Payments as a plugin: orders that people pay through a payment method, and what becomes of them.
import { definePlugin } from '../../src/app/plugin.ts'

export const payments = definePlugin({
  name: 'payments',
  tables: async () => (await import('./tables.ts')).tables,
})
