// Bank transfers as a payment method: people pay by the operator's instructions, and the operator marks the order as paid.
import { formatMinor } from '../../../src/domain/currencies.ts'
import type { PaymentOrder, PaymentProvider } from '../../../src/payment-api.ts'
import { transferReference } from './reference.ts'
import type { ManualSettings } from './settings.ts'

export const MANUAL = 'manual'

export function manualProvider({ instructions, ...settings }: ManualSettings): PaymentProvider {
  return {
    name: MANUAL,
    ...settings,
    start: async (order) => ({ reference: transferReference(order) }),
    async look(reference, order) {
      const { id, currency, amount_minor, payment_reference } = order
      if (reference !== transferReference(order))
        throw new Error(`${reference} is not the number of order ${id}`)
      // `markPaid` saves no mark of another amount. The fee is 0, since no provider is involved.
      const paid = payment_reference === null ? {} : { payment_reference, fee_minor: 0 }
      return {
        state: payment_reference === null ? 'open' : 'paid',
        currency,
        amount_minor,
        order_id: id,
        ...paid,
      }
    },
    instructions: (order) => fillIn(instructions, order),
    // The operator sends the money back by hand, and confirms it by requesting the refund.
    refund: async (_order, amount_minor, key) => ({ reference: key, key, amount_minor, state: 'done' }),
  }
}

function fillIn(instructions: string, order: PaymentOrder): string {
  const { currency, amount_minor } = order
  const values = { amount: formatMinor(amount_minor, currency), reference: transferReference(order) }
  const missing = [
    ...(instructions.includes('{amount}') ? [] : [`Amount: ${values.amount}`]),
    ...(instructions.includes('{reference}') ? [] : [`Reference: ${values.reference}`]),
  ]
  const filled = instructions
    .trim()
    .replace(/\{(amount|reference)\}/g, (_, name: 'amount' | 'reference') => values[name])
  return missing.length === 0 ? filled : `${filled}\n\n${missing.join('\n')}`
}
