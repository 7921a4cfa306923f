// The doctor's look at the address: whether the gateway answers there, or could listen.
import { parseListenAddress } from '../../domain/listen-address.ts'
import { messageOf } from '../../domain/thrown.ts'
import type { Diagnosis } from '../../surface/doctor.ts'
import { listenRefusal } from '../listen-refusal.ts'
import { refuseTaken } from '../listening.ts'
import { servedAt } from '../served-at.ts'
import { fail, ok, type ReadPatient, warn } from './diagnosis.ts'

const CHECK = 'address'
const ANSWER_MS = 5_000

export async function checkAddress({ data_folder, catalogue }: ReadPatient): Promise<Diagnosis[]> {
  const served = servedAt(data_folder)
  const answered = served === undefined ? undefined : await askReady(served)
  return [answered ?? couldListen(catalogue.server.listen)]
}

/** Whether the gateway at a URL takes calls; undefined where nobody answers. */
export async function askReady(url: string): Promise<Diagnosis | undefined> {
  try {
    const answer = await fetch(`${url}/readyz`, {
      signal: AbortSignal.timeout(ANSWER_MS),
      // It is this machine's own gateway; whether callers trust its certificate is another check.
      tls: { rejectUnauthorized: false },
    })
    if (answer.ok) return ok(CHECK, `the gateway answers at ${url} and takes calls`)
    return fail(
      CHECK,
      `the gateway at ${url} takes no calls: ${(await answer.text()).slice(0, 300)}`,
      'See its log for the cause.',
    )
  } catch {
    // The process that told the address has ended without taking it back.
    return undefined
  }
}

function couldListen(listen: string): Diagnosis {
  try {
    refuseTaken(parseListenAddress(listen))
    return warn(CHECK, `no gateway runs here; ${listen} is free`, 'Start it: `tollgate serve`.')
  } catch (cause) {
    return fail(CHECK, messageOf(listenRefusal(listen, cause)), 'Or stop the program that listens there.')
  }
}
