// The amounts of an order: the credit of a payment, and the debit of a refund. Pure.
import { minorDigits, shareOf } from '../../src/domain/currencies.ts'
import type { Nanos } from '../../src/domain/money.ts'
import type { AmountLimits, PaymentProvider } from '../../src/payment-api.ts'
import type { Order, OrderRefund } from './tables.ts'

/** A bonus on payments with a credit of at least `from_nanos`. */
export interface Bonus {
  from_nanos: Nanos
  /** In thousandths of the credit. */
  per_mille: number
}

/** Returns the credit of a payment, as the payer sees it before paying. @returns undefined if it exceeds `Number.MAX_SAFE_INTEGER` */
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

/** The limits of a payment; no amount is allowed in a currency that the method does not accept. */
export const limitsOf = ({ limits }: Pick<PaymentProvider, 'limits'>, currency: string): AmountLimits =>
  limits[currency] ?? { min_minor: 1, max_minor: 0 }

/** Converts limits in USD of credit to whole units of another currency: the minimum rounded up, the maximum rounded down. */
export function convertLimits(
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

/** The fields of a refund that count towards the refunded part of a payment. */
type CountedRefund = Pick<OrderRefund, 'state' | 'amount_minor' | 'debit_nanos'>

const isActive = ({ state }: CountedRefund): boolean => state !== 'failed' && state !== 'cancelled'

/** Returns the sum of the refunds that are done or in progress. */
export const refundedMinorOf = (refunds: readonly CountedRefund[]): number =>
  refunds.filter(isActive).reduce((sum, { amount_minor }) => sum + amount_minor, 0)

/**
 * Returns the part of an order's credit, with its bonus, that a refund debits. The debits of refunds that return the whole payment add up to the
 * whole credit to the nano-dollar, also if other refunds between them failed.
 *
 * @param before the order's other refunds
 */
export function debitOf(
  {
    amount_minor: paid_minor,
    credit_nanos,
    bonus_nanos,
  }: Pick<Order, 'amount_minor' | 'credit_nanos' | 'bonus_nanos'>,
  before: readonly CountedRefund[],
  amount_minor: number,
): Nanos {
  const due_nanos = shareOf(credit_nanos + bonus_nanos, refundedMinorOf(before) + amount_minor, paid_minor)
  const debited_nanos = before.filter(isActive).reduce((sum, { debit_nanos }) => sum + debit_nanos, 0)
  return Math.max(0, due_nanos - debited_nanos)
}

/** Returns the rest of a share after a part of the payment was returned. The debits of several parts add up to the whole share. */
export const remainingShareOf = (
  share_nanos: Nanos,
  { amount_minor, gone_minor }: { amount_minor: number; gone_minor: number },
): Nanos => share_nanos - shareOf(share_nanos, gone_minor, amount_minor)
