// Owns a call that costs nothing and asks no vendor: who calls, then an answer of the gateway's own.
import type { Caller } from '../access/gate.ts'
import { idHeaders, jsonAnswer } from '../http/answers.ts'
import { answering } from './answering.ts'
import type { Gateway } from './gateway.ts'
import type { Server, Surface } from './origin.ts'

export interface FreeCall extends Surface {
  request: Request
  server: Server
  /** What is answered, as JSON where it is no answer by itself; comes after the key was checked. */
  answer: (caller: Caller) => unknown
}

/**
 * Answers, or refuses in the surface's shape. Such calls count against no limit: they are how a caller looks at his
 * limits, and at what is his.
 */
export function serveFree(
  gateway: Gateway,
  { request, server, answer, ...surface }: FreeCall,
): Promise<Response> {
  return answering(gateway, surface)(request, server, async (origin) => {
    const answered = await answer(gateway.gate.admit(origin.credential, origin.address))
    if (!(answered instanceof Response)) return jsonAnswer(answered, origin.request_id, idHeaders(origin))
    answered.headers.set('x-request-id', origin.request_id)
    return answered
  })
}
