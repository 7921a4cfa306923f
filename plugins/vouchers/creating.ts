// Creation of vouchers: a batch of codes, which are shown once.
import { hashKey, type RandomBytes } from '../../src/access/secret.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import { formatUsd, NANOS_PER_USD, type Nanos } from '../../src/domain/money.ts'
import { checkNote } from '../../src/domain/notes.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Tx } from '../../src/store/db.ts'
import { formatCode, generateCode, hintOf } from './code.ts'
import { insertBatch, insertVouchers } from './store.ts'
import type { VoucherBatchRow } from './tables.ts'

/** Per batch, whose codes are in one response. */
export const MAX_COUNT = 1_000
export const MAX_AMOUNT_NANOS = 100_000 * NANOS_PER_USD

interface NewVouchers {
  amount_nanos: Nanos
  count: number
  /** Null: never. */
  expires_at_ms: number | null
  once_per_account: boolean
  note: string
}

interface CreatedVouchers {
  batch: VoucherBatchRow
  /** Formatted for people; stored nowhere. */
  codes: readonly string[]
}

/**
 * Creates a batch of vouchers, in the caller's transaction.
 *
 * @throws GatewayError invalid_request for an amount of 0 or of more than 100,000 USD, for a time in the past, and as `checkNote`
 */
export async function createVouchers(
  tx: Tx,
  { amount_nanos, count, expires_at_ms, once_per_account, note }: NewVouchers,
  { randomBytes, now_ms }: { randomBytes: RandomBytes; now_ms: number },
): Promise<CreatedVouchers> {
  if (amount_nanos <= 0 || amount_nanos > MAX_AMOUNT_NANOS)
    throw invalidRequest('amount: enter an amount above 0, and up to 100000.', { param: 'amount' })
  if (expires_at_ms !== null && expires_at_ms <= now_ms)
    throw invalidRequest('expires: is in the past. Choose a later time.', { param: 'expires' })
  checkNote(note)
  const codes = Array.from({ length: count }, () => generateCode(randomBytes))
  const batch = await insertBatch(tx, {
    note,
    once_each: once_per_account ? 1 : 0,
    created_at_ms: now_ms,
  })
  await insertVouchers(
    tx,
    batch,
    codes.map((code) => ({ sha256: hashKey(code), hint: hintOf(code), amount_nanos, expires_at_ms })),
  )
  await recordAction(tx, {
    action: 'voucher.created',
    subject: String(batch.id),
    after: {
      vouchers: count,
      amount_usd: formatUsd(amount_nanos),
      once_per_account,
      ...(expires_at_ms === null ? {} : { expires_at: new Date(expires_at_ms).toISOString() }),
      ...(note === '' ? {} : { note }),
    },
  })
  return { batch, codes: codes.map(formatCode) }
}
