// Plans of a running gateway: what their pages need of it, and what the operator owes by them.
import { accountOf } from '../../src/access/viewer.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { type CoveredSums, createCoveredSums, planMetrics } from './metrics.ts'
import { unusedNanos } from './report.ts'
import type { Plan } from './settings.ts'
import { periodIn } from './store.ts'

/** Pages of plans are there where one is offered, and for accounts that have one. */
export function openPlans(
  { db, people, operations }: Pick<Gateway, 'db' | 'people' | 'operations'>,
  offered: () => readonly Plan[],
): { covered: CoveredSums } {
  const covered = createCoveredSums()
  operations.metrics.push(...planMetrics(db, covered))
  people.features.push({
    name: 'plans',
    isOffered: () => offered().length > 0,
    async isKept(viewer) {
      const account_id = accountOf(viewer)
      return account_id !== undefined && (await periodIn(db, account_id, 'active')) !== undefined
    },
  })
  operations.liabilities.push({ title: 'Months of plans not used yet', read: unusedNanos })
  return { covered }
}
