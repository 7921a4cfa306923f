// Vouchers of a running gateway: metrics, liabilities, and the parts for redemption.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { createGuessLimiter } from './guesses.ts'
import { voucherMetrics } from './metrics.ts'
import type { RedemptionParts } from './redeeming.ts'
import { unusedVoucherNanos } from './store.ts'

export function openVouchers({
  db,
  calls,
  operations,
}: Pick<Gateway, 'db' | 'calls' | 'operations'>): RedemptionParts {
  const { ledger, now } = calls
  operations.metrics.push(...voucherMetrics(db, now))
  operations.liabilities.push({ title: 'Unused vouchers', read: unusedVoucherNanos })
  return {
    db,
    now,
    topUp: async (operation) => await ledger.submit(operation),
    guesses: createGuessLimiter(() => performance.now()),
  }
}
