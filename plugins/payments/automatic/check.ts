// Check for automatic top-ups that were turned off by failures.
import { type Diagnosis, diagnosesOf } from '../../../src/app/checks/check.ts'
import type { Db } from '../../../src/store/db.ts'
import { failedTopUps } from './store.ts'

/** The first ones suffice to show a common cause, such as a payment method that declines everything. */
const MAX_NAMED = 20

export async function checkTopUps({ db }: { db: Db }): Promise<Diagnosis[]> {
  const failed = await failedTopUps(db)
  if (failed.length === 0) return [diagnosesOf('automatic top-ups').ok('none is off after failures')]
  return failed
    .slice(0, MAX_NAMED)
    .map(({ id, name, failure }) =>
      diagnosesOf(`automatic top-up of ${name}`, id).warn(
        `the automatic top-up of ${name} is off, because three payments in a row failed: ${failure ?? ''}`,
        `Nothing is charged. The account got a mail, if it has an address. \`tollgate account automatic-top-up off ${name}\` ends this alert.`,
      ),
    )
}
