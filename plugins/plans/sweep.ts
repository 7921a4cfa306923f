// The plans of a running gateway: by which they are paid, and their renewal each minute.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { PayingParts } from './paying.ts'
import { renewPlans } from './renewing.ts'

/** Pays from balances by the gateway's own ledger. */
export const partsOf = ({ db, calls }: Pick<Gateway, 'db' | 'calls'>): PayingParts => ({
  db,
  withdraw: (operation) => calls.ledger.submit(operation),
  now: calls.now,
  catalogue: calls.catalogue,
})

export const sweepPlans = (gateway: Pick<Gateway, 'db' | 'calls'>): Promise<void> =>
  renewPlans({ ...partsOf(gateway), catalogue: gateway.calls.catalogue })
