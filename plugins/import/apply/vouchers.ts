// The vouchers of an import, in one transaction: new ones come in, and those that have ended in the source end here.
import type { Db } from '../../../src/store/db.ts'
import { type ImportedVouchers, importVouchers } from '../../vouchers/index.ts'
import type { IncomingVouchers } from '../move-in.ts'
import type { Applying } from './applying.ts'

/** @returns how many are new, and how many were ended */
export async function applyVouchers(
  db: Db,
  vouchers: IncomingVouchers,
  { plan, now_ms, probe }: Pick<Applying, 'plan' | 'now_ms' | 'probe'>,
): Promise<ImportedVouchers> {
  const applied = await db.begin((tx) => importVouchers(tx, vouchers, { source: plan.source, now_ms }))
  probe('vouchers')
  return applied
}
