// Plans of a running gateway: metrics, visibility of pages, and liabilities.
import { accountOf } from '../../src/access/viewer.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { type CoveredSums, createCoveredSums, planMetrics } from './metrics.ts'
import { unusedNanos } from './report.ts'
import type { Plan } from './settings.ts'
import { periodIn } from './store.ts'

/** Registers plans with the gateway. Their pages are visible if a plan is offered, and for accounts with a plan. */
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
