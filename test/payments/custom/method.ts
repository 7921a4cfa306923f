// A valid payment method of a plugin, which tests change.
import type { PaymentOrder, PaymentProvider } from '../../../src/payment-api.ts'

export const ORDER: PaymentOrder = {
  ...{ id: 12, account_id: 3, account: 'anna', currency: 'EUR', amount_minor: 2_500 },
  ...{ description: 'Credit of 27.00 USD', reference: null, payment_reference: null },
  expires_at_ms: 1_800_000_000_000,
  return_url: 'https://gateway.example/console/orders/12',
  webhook_url: 'https://gateway.example/payments/kiosk/webhook',
}

/** Keeps the payments that it started, and accepts webhooks with the header `x-key: right`. */
export function goodMethod(changes: Partial<PaymentProvider> = {}): PaymentProvider {
  const started = new Map<string, PaymentOrder>()
  return {
    ...{ name: 'kiosk', title: 'Kiosk', currencies: ['EUR'] },
    limits: { EUR: { min_minor: 100, max_minor: 10_000 } },
    async start(order) {
      const reference = `K${order.id}T${order.expires_at_ms}`
      started.set(reference, order)
      return { reference, go_to: `https://kiosk.example/${reference}` }
    },
    async look(reference) {
      const order = started.get(reference)
      if (!order) throw new Error('no such payment')
      const { currency, amount_minor, id: order_id } = order
      return { state: 'open', currency, amount_minor, order_id }
    },
    async hook(request) {
      if (request.headers.get('x-key') !== 'right') throw new Error('nobody signed it')
      return { reference: await request.text() }
    },
    ...changes,
  }
}
