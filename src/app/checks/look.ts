// The making of checks in a running gateway: each by itself, and a check that cannot be made is a finding, too.
import type { Catalogue } from '../../domain/catalogue.ts'
import type { Logger } from '../../observe/log.ts'
import { messageOf } from '../../utilities/thrown.ts'
import { type CheckTime, type Diagnosis, diagnosesOf, type GatewayCheck, type ReadPatient } from './check.ts'

interface LookParts {
  catalogue: () => Catalogue
  data_folder: string
  log: Pick<Logger, 'warn'>
  now: () => number
}

/** A running gateway, for its checks. */
export function patientOf({ catalogue, data_folder, now }: Omit<LookParts, 'log'>): ReadPatient {
  const current = catalogue()
  return { data_folder, storage: current.storage, env: {}, now, catalogue: current }
}

/** @returns makes the checks of a time, and never rejects */
export function lookAtEach(
  checks: readonly GatewayCheck[],
  time: CheckTime,
  parts: LookParts,
): () => Promise<Diagnosis[]> {
  const due = checks.filter(({ when }) => when.includes(time))
  return async () => {
    const patient = patientOf(parts)
    const found = due.map(async ({ name, look }) => {
      try {
        return await look(patient, time)
      } catch (cause) {
        parts.log.warn({ check: name, cause }, 'a check could not be made')
        return [diagnosesOf(name).fail(`it could not be checked: ${messageOf(cause)}`, 'The log has more.')]
      }
    })
    return (await Promise.all(found)).flat()
  }
}
