// The check whether a gateway accepts calls, by its answer at /readyz: for `health` and the doctor.
import { requestLocal } from '../process/local-request.ts'
import { type Diagnosis, diagnosesOf } from './check.ts'

export const ADDRESS = 'address'

const { fail, ok } = diagnosesOf(ADDRESS)
const ANSWER_MS = 5_000

/** Checks whether the gateway at a URL accepts calls; undefined if no process listens there. */
export async function checkReady(url: string, answer_ms = ANSWER_MS): Promise<Diagnosis | undefined> {
  const signal = AbortSignal.timeout(answer_ms)
  try {
    const { status, text } = await requestLocal(`${url}/readyz`, { signal })
    if (status === 200) return ok(`the gateway answers at ${url} and takes calls`)
    return fail(`the gateway at ${url} takes no calls: ${text.slice(0, 300)}`, 'Check its log.')
  } catch {
    // No process listens: the one that wrote the address file ended without removing it.
    if (!signal.aborted) return undefined
    return fail(
      `the gateway at ${url} has not answered within ${answer_ms / 1_000} s`,
      'Check its log and the load of the machine. Restart it if it stays like this.',
    )
  }
}
