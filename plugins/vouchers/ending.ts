// The end of unused vouchers: revocation of one or a whole batch, and expiry.
import { conflict } from '../../src/domain/errors.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Db, Tx } from '../../src/store/db.ts'
import { type ChangeSource, changeState } from '../../src/store/state-changes.ts'
import { batchById, overdueVouchers, unusedOfBatch, voucherById } from './store.ts'

interface Revocation {
  source: ChangeSource
  now_ms: number
}

/** Revokes a voucher, in the caller's transaction. @throws GatewayError not_found; conflict if it is no longer new */
export async function revokeVoucher(tx: Tx, id: number, { source, now_ms }: Revocation): Promise<void> {
  const { batch_id } = await voucherById(tx, id)
  if (!(await changeState(tx, { table: 'vouchers', id, from: ['new'], to: 'revoked', source }, now_ms))) {
    const { state } = await voucherById(tx, id)
    throw conflict(`Voucher ${id} is ${state} already.`, { code: `voucher_${state}` })
  }
  await recordAction(tx, { action: 'voucher.revoked', subject: String(batch_id), before: { voucher: id } })
}

/**
 * Revokes all unused vouchers of a batch, in the caller's transaction.
 *
 * @returns the number of revoked vouchers
 * @throws GatewayError not_found; conflict if no voucher is unused
 */
export async function revokeBatch(tx: Tx, batch_id: number, { source, now_ms }: Revocation): Promise<number> {
  await batchById(tx, batch_id)
  let count = 0
  for (const id of await unusedOfBatch(tx, batch_id))
    if (await changeState(tx, { table: 'vouchers', id, from: ['new'], to: 'revoked', source }, now_ms))
      count += 1
  if (count === 0) throw conflict(`Batch ${batch_id} has no unused vouchers.`, { code: 'no_unused_vouchers' })
  await recordAction(tx, {
    action: 'voucher.revoked',
    subject: String(batch_id),
    before: { vouchers: count },
  })
  return count
}

/** Vouchers per transaction, which takes about 20 ms. */
const EXPIRY_BATCH = 200

/** Marks expired vouchers. They are refused also without the mark. */
export async function expireVouchers(db: Db, now_ms: number): Promise<void> {
  for (;;) {
    const ids = await overdueVouchers(db, now_ms, EXPIRY_BATCH)
    if (ids.length === 0) return
    await db.begin(async (tx) => {
      for (const id of ids)
        await changeState(
          tx,
          { table: 'vouchers', id, from: ['new'], to: 'expired', source: 'system' },
          now_ms,
        )
    })
  }
}
