// The doctor's look at the address: whether the gateway answers there, or could listen.
import type { Diagnosis } from '../../../src/surface/diagnosis.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import { askDirectly } from '../../../src/server/ask-directly.ts'
import { servedAt } from '../../../src/server/served-at.ts'
import { refuseAddress, refuseMetricsAddress } from '../../../src/server/start-refusals.ts'
import { diagnosesOf, type ReadPatient } from '../../../src/server/checks/check.ts'

const { fail, ok, warn } = diagnosesOf('address')
const ANSWER_MS = 5_000

export async function checkAddress({ data_folder, catalogue }: ReadPatient): Promise<Diagnosis[]> {
  const served = servedAt(data_folder)
  const answered = served === undefined ? undefined : await askReady(served)
  if (answered) return [answered]
  const { server, metrics } = catalogue
  const { listen } = metrics
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

/** Whether the gateway at a URL takes calls; undefined if nobody answers. */
export async function askReady(url: string, answer_ms = ANSWER_MS): Promise<Diagnosis | undefined> {
  const signal = AbortSignal.timeout(answer_ms)
  try {
    const { status, text } = await askDirectly(`${url}/readyz`, { signal })
    if (status === 200) return ok(`the gateway answers at ${url} and takes calls`)
    return fail(`the gateway at ${url} takes no calls: ${text.slice(0, 300)}`, 'Check its log.')
  } catch {
    // Otherwise the process that told the address has ended without taking it back.
    if (!signal.aborted) return undefined
    return fail(
      `the gateway at ${url} has not answered within ${answer_ms / 1_000} s`,
      'Check its log and the load of the machine. Restart it if it stays like this.',
    )
  }
}

function refusalOf(refuse: () => void): Diagnosis | undefined {
  try {
    refuse()
    return undefined
  } catch (refusal) {
    return fail(messageOf(refusal), 'Stop the program that listens there, or use another address.')
  }
}
