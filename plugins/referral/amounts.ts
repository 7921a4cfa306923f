// The amounts of referrals: the share of a payment, until when there is one, and what of it stays after refunds. Pure.
import { shareOf } from '../../src/domain/currencies.ts'
import type { Nanos } from '../../src/domain/money.ts'
import type { ReferralSettings } from './settings.ts'

/** @returns 0 where referrals are off, or the months since the sign-up are over */
export function shareOfPayment(
  { credit_nanos }: { credit_nanos: Nanos },
  { created_at_ms }: { created_at_ms: number },
  { per_mille, months }: ReferralSettings,
  now_ms: number,
): Nanos {
  return now_ms < endOf(created_at_ms, months) ? shareOf(credit_nanos, per_mille, 1_000) : 0
}

/** Months of the calendar, in UTC. */
export const endOf = (created_at_ms: number, months: number): number =>
  Temporal.Instant.fromEpochMilliseconds(created_at_ms).toZonedDateTimeISO('UTC').add({ months })
    .epochMilliseconds

/** The rest of a share after a part of the payment has gone back: the parts that are taken add up to the share. */
export const keptOf = (
  share_nanos: Nanos,
  { amount_minor, gone_minor }: { amount_minor: number; gone_minor: number },
): Nanos => share_nanos - shareOf(share_nanos, gone_minor, amount_minor)
