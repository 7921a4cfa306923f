// Redemption codes as vouchers: unused codes keep working; imported codes that have ended in the source end here too.
import { formatUsd, type Nanos } from '../../../src/domain/money.ts'
import { hashOfImported, importedVoucher, MAX_AMOUNT_NANOS } from '../../vouchers/index.ts'
import type { IncomingVouchers, LeftOut } from '../move-in.ts'
import type { SourceRow } from '../source/rows.ts'
import { type Fraction, nanosOfQuota } from './fraction.ts'
import { isSet, textOf, wholeOf } from './values.ts'

/** States of a code in both programs: 1 unused, 2 disabled, 3 used (common/constants.go). */
const UNUSED = 1

interface Vouchers {
  readonly vouchers: IncomingVouchers
  readonly left_out: readonly LeftOut[]
}

interface VoucherParts {
  readonly quota_per_usd: Fraction
  readonly now_ms: number
}

export async function readVouchers(
  rows: AsyncIterable<SourceRow>,
  { quota_per_usd, now_ms }: VoucherParts,
): Promise<Vouchers> {
  const unused: IncomingVouchers['unused'][number][] = []
  const ended: Buffer[] = []
  const left_out: LeftOut[] = []
  for await (const row of rows) {
    const code = textOf(row, 'key')
    const ends_s = wholeOf(row, 'expired_time')
    const is_over = isSet(row.deleted_at) || (ends_s > 0 && ends_s * 1_000 <= now_ms)
    const amount_nanos = nanosOfQuota(wholeOf(row, 'quota'), quota_per_usd)
    const fault = invalidReason(code, amount_nanos)
    if (wholeOf(row, 'status') !== UNUSED || is_over) {
      if (code !== '') ended.push(hashOfImported(code))
    } else if (fault === undefined)
      unused.push(importedVoucher({ code, amount_nanos, expires_at_ms: ends_s > 0 ? ends_s * 1_000 : null }))
    else left_out.push({ kind: 'vouchers', row: `redemption ${wholeOf(row, 'id')}`, reason: fault })
  }
  return { vouchers: { unused, ended }, left_out }
}

function invalidReason(code: string, amount_nanos: Nanos): string | undefined {
  if (code === '') return 'It has no code.'
  if (amount_nanos <= 0) return 'It is worth nothing.'
  return amount_nanos > MAX_AMOUNT_NANOS
    ? `It is worth ${formatUsd(amount_nanos)} USD, more than a voucher can be. Top up by hand.`
    : undefined
}
