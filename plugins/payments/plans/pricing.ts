// The price of a plan in the currency of the payer. Pure.
import { minorDigits } from '../../../src/domain/currencies.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import type { PaymentProvider } from '../../../src/payment-api.ts'
import { limitsOf } from '../amounts.ts'
import type { PaymentSettings } from '../settings.ts'

/**
 * The least amount whose credit pays for it, and that the method takes. What it credits beyond the price stays on the balance. Bonuses are
 * for top-ups alone.
 *
 * @returns undefined where the method takes no such currency, or not so much at once
 */
export function amountFor(
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
