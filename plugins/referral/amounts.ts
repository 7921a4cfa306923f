// The amounts of referrals: the share of a payment, and until when there is one. Pure.
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
