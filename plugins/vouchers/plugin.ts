// The vouchers plugin: codes that the operator gives out, each of which adds its amount to a balance once.
import { definePlugin } from '../../src/app/plugin.ts'

export const vouchers = definePlugin({
  name: 'vouchers',
  tables: async () => (await import('./tables.ts')).tables,
  open: async (gateway) => (await import('./vouchers.ts')).openVouchers(gateway),
  routes: async () => (await import('./routes.ts')).voucherRoutes,
  console_routes: async () => (await import('./console.ts')).voucherConsoleRoutes,
  commands: { voucher: async () => (await import('./command.ts')).addVoucherCommands },
  sweeps: [
    {
      name: 'vouchers',
      sweep: async (_, { db, calls }) => (await import('./ending.ts')).expireVouchers(db, calls.now()),
    },
  ],
})
