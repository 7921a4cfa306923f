// The amounts of an order: what a payment gives, and what a refund of a part of it takes. Pure.
import { minorDigits, shareOf } from '../../src/domain/currencies.ts'
import type { Nanos } from '../../src/domain/money.ts'
import type { AmountLimits, PaymentProvider } from '../../src/payment-api.ts'
import type { Order, OrderRefund } from './tables.ts'

/** A bonus on payments that credit at least so much, in thousandths of the credit. */
export interface Bonus {
  from_nanos: Nanos
  per_mille: number
}

/** The credit of a payment, as the payer sees it before they pay. @returns undefined for more than can be counted */
export function creditOf(
  { amount_minor, currency, rate_nanos }: Pick<Order, 'amount_minor' | 'currency' | 'rate_nanos'>,
  bonuses: readonly Bonus[],
): Pick<Order, 'credit_nanos' | 'bonus_nanos'> | undefined {
  const credit_nanos = (BigInt(amount_minor) * BigInt(rate_nanos)) / BigInt(10 ** minorDigits(currency))
  const per_mille = bonuses
    .filter(({ from_nanos }) => credit_nanos >= from_nanos)
    .reduce((most, bonus) => Math.max(most, bonus.per_mille), 0)
  const bonus_nanos = (credit_nanos * BigInt(per_mille)) / 1_000n
  return credit_nanos + bonus_nanos > Number.MAX_SAFE_INTEGER
    ? undefined
    : { credit_nanos: Number(credit_nanos), bonus_nanos: Number(bonus_nanos) }
}

/** The limits of a payment in a currency that the method takes. */
export const limitsOf = ({ limits }: Pick<PaymentProvider, 'limits'>, currency: string): AmountLimits =>
  limits[currency] ?? { min_minor: 1, max_minor: 0 }

/**
 * The limits that a method has in USD, in another currency: by the credit that a payment gives, in whole units of the currency, so that they are
 * amounts that people write.
 */
export function limitsByRate(
  currency: string,
  rate_nanos: Nanos,
  { min_nanos, max_nanos }: { min_nanos: Nanos; max_nanos: Nanos },
): AmountLimits {
  const unit = 10 ** minorDigits(currency)
  return {
    min_minor: Math.max(1, Math.ceil(min_nanos / rate_nanos)) * unit,
    max_minor: Math.floor(max_nanos / rate_nanos) * unit,
  }
}

/** The part of a payment that a refund has taken, or may still take: nothing where it came to nothing. */
type Taken = Pick<OrderRefund, 'state' | 'amount_minor' | 'debit_nanos'>

const counts = ({ state }: Taken): boolean => state !== 'failed' && state !== 'cancelled'

/** The part of a payment that refunds have taken, or may still take. */
export const takenBy = (refunds: readonly Taken[]): number =>
  refunds.filter(counts).reduce((sum, { amount_minor }) => sum + amount_minor, 0)

/**
 * The part of an order's credit that goes with a refund, its bonus included. The parts of refunds that give all back are the whole to the nano-dollar,
 * also where others between them came to nothing.
 *
 * @param before the order's other refunds
 */
export function debitOf(
  {
    amount_minor: paid_minor,
    credit_nanos,
    bonus_nanos,
  }: Pick<Order, 'amount_minor' | 'credit_nanos' | 'bonus_nanos'>,
  before: readonly Taken[],
  amount_minor: number,
): Nanos {
  const due_nanos = shareOf(credit_nanos + bonus_nanos, takenBy(before) + amount_minor, paid_minor)
  const debited_nanos = before.filter(counts).reduce((sum, { debit_nanos }) => sum + debit_nanos, 0)
  return Math.max(0, due_nanos - debited_nanos)
}

/** The rest of a share of a payment after a part of it has gone back: the parts that are taken add up to the share. */
export const keptOf = (
  share_nanos: Nanos,
  { amount_minor, gone_minor }: { amount_minor: number; gone_minor: number },
): Nanos => share_nanos - shareOf(share_nanos, gone_minor, amount_minor)
