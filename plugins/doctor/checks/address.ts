// The check of the listen addresses: the gateway answers there, or the address is free.

import { type Diagnosis, diagnosesOf, type ReadContext } from '../../../src/app/checks/check.ts'
import { ADDRESS, checkReady } from '../../../src/app/checks/ready.ts'
import { servedAt } from '../../../src/app/process/served-at.ts'
import { refuseAddress } from '../../../src/app/process/start-refusals.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import { metrics_section, refuseMetricsAddress } from '../../metrics/index.ts'

const { fail, warn } = diagnosesOf(ADDRESS)

export async function checkAddress({ data_folder, catalogue }: ReadContext): Promise<Diagnosis[]> {
  const served = servedAt(data_folder)
  const readiness = served === undefined ? undefined : await checkReady(served)
  if (readiness) return [readiness]
  const { server } = catalogue
  const { listen } = metrics_section.of(catalogue)
  const of_gateway = refusalOf(() => refuseAddress(server.listen))
  const of_metrics =
    listen === undefined
      ? undefined
      : refusalOf(() => refuseMetricsAddress(listen, of_gateway ? undefined : server.listen))
  const is_free = warn(
    `no gateway runs here; ${server.listen} is free`,
    'Start the gateway: `tollgate serve`.',
  )
  return [of_gateway ?? is_free, ...(of_metrics ? [of_metrics] : [])]
}

function refusalOf(refuse: () => void): Diagnosis | undefined {
  try {
    refuse()
    return undefined
  } catch (refusal) {
    return fail(messageOf(refusal), 'Stop the program that listens there, or use another address.')
  }
}
