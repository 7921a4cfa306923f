// Runs of checks in a running gateway: each is isolated, and a check that throws is a failed diagnosis.
import type { Catalogue } from '../../domain/catalogue.ts'
import type { Logger } from '../../observe/log.ts'
import { messageOf } from '../../utilities/thrown.ts'
import { type CheckTime, type Diagnosis, diagnosesOf, type GatewayCheck, type ReadContext } from './check.ts'

interface LookParts {
  catalogue: () => Catalogue
  data_folder: string
  log: Pick<Logger, 'warn'>
  now: () => number
}

/** Returns a running gateway as its checks examine it. */
export function checkContext({ catalogue, data_folder, now }: Omit<LookParts, 'log'>): ReadContext {
  const current = catalogue()
  return { data_folder, storage: current.storage, env: {}, now, catalogue: current }
}

/** @returns a function that runs the checks of an occasion, and never rejects */
export function createCheckRun(
  checks: readonly GatewayCheck[],
  time: CheckTime,
  parts: LookParts,
): () => Promise<Diagnosis[]> {
  const due = checks.filter(({ when }) => when.includes(time))
  return async () => {
    const context = checkContext(parts)
    const found = due.map(async ({ name, look }) => {
      try {
        return await look(context, time)
      } catch (cause) {
        parts.log.warn({ check: name, cause }, 'a check could not be made')
        return [diagnosesOf(name).fail(`it could not be checked: ${messageOf(cause)}`, 'The log has more.')]
      }
    })
    return (await Promise.all(found)).flat()
  }
}
