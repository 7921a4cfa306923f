// The sweep that renews plans each minute in a running gateway.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { PayingParts } from './paying.ts'
import { renewPlans } from './renewing.ts'

/** Parts for paying from balances with the gateway's ledger. */
export const partsOf = ({ db, calls }: Pick<Gateway, 'db' | 'calls'>): PayingParts => ({
  db,
  withdraw: (operation) => calls.ledger.submit(operation),
  now: calls.now,
  catalogue: calls.catalogue,
})

export const sweepPlans = (gateway: Pick<Gateway, 'db' | 'calls'>): Promise<void> =>
  renewPlans({ ...partsOf(gateway), catalogue: gateway.calls.catalogue })
