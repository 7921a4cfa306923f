// The amounts of an order: what a payment gives, and what a refund of a part of it takes. Pure.
import { minorDigits, shareOf } from '../../src/domain/currencies.ts'
import type { Nanos } from '../../src/domain/money.ts'
import type { Order } from './tables.ts'

/** A bonus on payments that credit at least so much, in thousandths of the credit. */
export interface Bonus {
  from_nanos: Nanos
  per_mille: number
}

/** What a payment gives, as the payer is told before they pay. @throws RangeError for more than can be counted */
export function creditOf(
  { amount_minor, currency, rate_nanos }: Pick<Order, 'amount_minor' | 'currency' | 'rate_nanos'>,
  bonuses: readonly Bonus[],
): Pick<Order, 'credit_nanos' | 'bonus_nanos'> {
  const credit_nanos = shareOf(amount_minor, rate_nanos, 10 ** minorDigits(currency))
  const per_mille = bonuses
    .filter(({ from_nanos }) => credit_nanos >= from_nanos)
    .reduce((most, bonus) => Math.max(most, bonus.per_mille), 0)
  return { credit_nanos, bonus_nanos: shareOf(credit_nanos, per_mille, 1_000) }
}

/**
 * What of an order's credit goes with a refund, its bonus included, by what was refunded before: the parts of all refunds are the whole.
 *
 * @param before_minor of all refunds before it
 */
export function debitOf(
  {
    amount_minor: paid_minor,
    credit_nanos,
    bonus_nanos,
  }: Pick<Order, 'amount_minor' | 'credit_nanos' | 'bonus_nanos'>,
  before_minor: number,
  amount_minor: number,
): Nanos {
  const whole = credit_nanos + bonus_nanos
  return shareOf(whole, before_minor + amount_minor, paid_minor) - shareOf(whole, before_minor, paid_minor)
}
