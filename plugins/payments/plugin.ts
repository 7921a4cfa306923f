// The payments plugin: orders that people pay through a payment method, their credits, refunds and disputes.
import { definePlugin } from '../../src/app/plugin.ts'
import { paymentSettings } from './settings.ts'

export const payments = definePlugin({
  name: 'payments',
  settings: paymentSettings,
  tables: async () => (await import('./tables.ts')).tables,
  open: async (gateway, settings) => (await import('./payments.ts')).openPayments(gateway, settings),
  on: {
    started: (payments) => payments.begin(),
    settled: ({ automatic }, { call, operation }) => {
      if (operation.op === 'post') automatic.spent(call.caller.account.id)
    },
    stopping: (payments) => payments.end(),
  },
  commands: {
    order: async () => (await import('./commands/order.ts')).addOrderCommands,
    account: async () => (await import('./automatic/command.ts')).addAutomaticCommands,
    plan: async () => (await import('./plans/command.ts')).addRenewalCommands,
  },
  routes: async () => (await import('./webhooks.ts')).webhookRoutes,
  console_routes: async () => (await import('./console/routes.ts')).consoleRoutes,
  sweeps: [
    {
      name: 'plans by card',
      sweep: async ({ parts, settings }, { calls: { catalogue } }) =>
        (await import('./plans/renewing.ts')).processOpenPeriods({ ...parts, settings, catalogue }),
    },
    { name: 'customers of erased accounts', sweep: (payments) => payments.deleteErased() },
  ],
  checks: [
    {
      name: 'stripe',
      when: ['doctor'],
      needs: 'catalogue',
      look: async (context) => (await import('./stripe/check.ts')).checkStripe(context),
    },
    {
      name: 'payments',
      when: ['doctor', 'alert'],
      needs: 'database',
      look: async (context, time) => (await import('./check.ts')).checkPayments(context, time),
      alert: { rule: 'payment', each: true },
    },
    {
      name: 'automatic top-ups',
      when: ['doctor', 'alert'],
      needs: 'database',
      look: async (context) => (await import('./automatic/check.ts')).checkTopUps(context),
      alert: { rule: 'automatic_top_up', each: true },
    },
    {
      name: 'payment webhooks',
      when: ['alert'],
      needs: 'folder',
      look: async ({ now }, _, own) =>
        (await import('./check.ts')).checkWebhooks(now(), own?.refused_webhooks),
      // Each gateway process counts the webhooks that it received.
      alert: { rule: 'payment_webhook', of_machine: true },
    },
  ],
  close: (payments) => payments.close(),
})
