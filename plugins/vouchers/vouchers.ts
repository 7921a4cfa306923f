// Vouchers of a running gateway: the parts that its pages and its API redeem them by.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { createGuesses } from './guesses.ts'
import type { RedeemingParts } from './redeeming.ts'

export function openVouchers({ db, calls }: Pick<Gateway, 'db' | 'calls'>): RedeemingParts {
  const { ledger, now } = calls
  return {
    db,
    now,
    topUp: async (operation) => await ledger.submit(operation),
    guesses: createGuesses(() => performance.now()),
  }
}
