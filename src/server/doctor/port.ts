// The doctor's look at the address: whether the gateway answers there, or could listen.
import { get as getPlain, type IncomingMessage } from 'node:http'
import { get as getSecure } from 'node:https'
import { text as readText } from 'node:stream/consumers'
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
export async function askReady(url: string, answer_ms = ANSWER_MS): Promise<Diagnosis | undefined> {
  const signal = AbortSignal.timeout(answer_ms)
  try {
    const { status, text } = await askDirectly(`${url}/readyz`, signal)
    if (status === 200) return ok(CHECK, `the gateway answers at ${url} and takes calls`)
    return fail(
      CHECK,
      `the gateway at ${url} takes no calls: ${text.slice(0, 300)}`,
      'See its log for the cause.',
    )
  } catch {
    // Otherwise the process that told the address has ended without taking it back.
    if (!signal.aborted) return undefined
    return fail(
      CHECK,
      `the gateway at ${url} has not answered within ${answer_ms / 1_000} s`,
      'See its log, and what the machine is busy with; restart it if it stays so.',
    )
  }
}

/** `fetch` would ask the proxy that HTTP_PROXY names, as it is set in many containers: this is the same machine. */
async function askDirectly(
  url: string,
  signal: AbortSignal,
): Promise<{ status: number | undefined; text: string }> {
  const get = url.startsWith('https:') ? getSecure : getPlain
  const answered = Promise.withResolvers<IncomingMessage>()
  // It is this machine's own gateway; whether callers trust its certificate is another check.
  get(url, { signal, rejectUnauthorized: false }, answered.resolve).on('error', answered.reject)
  const answer = await answered.promise
  return { status: answer.statusCode, text: await readText(answer) }
}

function couldListen(listen: string): Diagnosis {
  try {
    refuseTaken(parseListenAddress(listen))
    return warn(CHECK, `no gateway runs here; ${listen} is free`, 'Start it: `tollgate serve`.')
  } catch (cause) {
    return fail(CHECK, messageOf(listenRefusal(listen, cause)), 'Or stop the program that listens there.')
  }
}
