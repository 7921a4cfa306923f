// The price of a plan in the currency of the payer. Pure.
import { minorDigits } from '../../../src/domain/currencies.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import type { PaymentProvider } from '../../../src/payment-api.ts'
import { limitsOf } from '../amounts.ts'
import type { PaymentSettings } from '../settings.ts'

/**
 * Returns the smallest amount that the method accepts and whose credit covers the price. The rest of the credit stays on the balance. Bonuses
 * do not count: they are for top-ups.
 *
 * @returns undefined if the method does not accept the currency or the amount
 */
export function paymentAmountFor(
  { rates }: Pick<PaymentSettings, 'rates'>,
  provider: PaymentProvider,
  currency: string,
  due_nanos: Nanos,
): number | undefined {
  const rate_nanos = rates.get(currency)
  if (rate_nanos === undefined || !provider.currencies.includes(currency)) return undefined
  const { min_minor, max_minor } = limitsOf(provider, currency)
  const rate = BigInt(rate_nanos)
  const units = BigInt(due_nanos) * BigInt(10 ** minorDigits(currency))
  const amount_minor = Math.max(min_minor, Number((units + rate - 1n) / rate))
  return amount_minor <= max_minor ? amount_minor : undefined
}
